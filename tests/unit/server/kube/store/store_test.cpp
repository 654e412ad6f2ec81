#include "server/kube/store/store.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "server/limits/limits.hpp"

namespace tpuwh::server::kube::store {
namespace {

using Json = nlohmann::json;

const GroupName group{"ns", "c", "cluster-uid", "g"};
const std::string token = "0-1-00000000000000aa";

Json worker(const std::string& uid, const std::string& its_token = token) {
  return {
      {"metadata",
       {{"name", "w-" + uid},
        {"namespace", "ns"},
        {"uid", uid},
        {"labels",
         {{"ray.io/node-type", "worker"},
          {"ray.io/cluster", "c"},
          {"ray.io/group", "g"},
          {"tpu-webhook.dev/token", its_token}}},
        {"ownerReferences",
         {{{"kind", "RayCluster"}, {"name", "c"}, {"uid", "cluster-uid"}, {"controller", true}}}}}},
      {"spec",
       {{"containers", Json::array({{{"name", "main"},
                                     {"resources", {{"limits", {{"google.com/tpu", "4"}}}}}}})}}},
      {"status", {{"phase", "Running"}}}};
}

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    store.when_gone([this](const GroupName&, const std::string& lost) { gone.push_back(lost); });
  }
  void upsert(Kind kind, const Json& object) { store.upsert(kind, object.dump()); }

  Store store{"tpu-webhook.dev/"};
  std::vector<std::string> gone;
};

TEST_F(StoreTest, keeps_ray_workers_by_group) {
  upsert(Kind::pod, worker("1"));
  ASSERT_EQ(store.group_pods(group).size(), 1u);
  EXPECT_EQ(store.group_pods(group).at("1").token, token);
  EXPECT_EQ(store.group_pods(group).at("1").place, (topology::Place{0, 1}));
  store.remove(Kind::pod, worker("1").dump());
  EXPECT_TRUE(store.group_pods(group).empty());
  EXPECT_EQ(gone, std::vector{token});
}

TEST_F(StoreTest, knows_who_leaves_and_who_has_ended) {
  Json leaving = worker("1");
  leaving["metadata"]["deletionTimestamp"] = "2026-11-21T00:00:00Z";
  upsert(Kind::pod, leaving);
  EXPECT_TRUE(store.group_pods(group).at("1").leaving);
  leaving["status"]["phase"] = "Failed";
  upsert(Kind::pod, leaving);
  EXPECT_TRUE(store.group_pods(group).empty());
  EXPECT_EQ(gone, std::vector{token});
}

TEST_F(StoreTest, takes_places_from_labels_and_from_another_injector) {
  Json indexed = worker("1", "");
  indexed["metadata"]["labels"]["ray.io/worker-group-replica-index"] = "2";
  indexed["metadata"]["labels"]["ray.io/replica-host-index"] = "3";
  upsert(Kind::pod, indexed);
  EXPECT_EQ(store.group_pods(group).at("1").place, (topology::Place{2, 3}));
  Json injected = worker("2", "");
  injected["metadata"]["labels"]["replicaIndex"] = "g-1";
  injected["spec"]["containers"] =
      Json::array({{{"name", "a"},
                    {"resources", {{"limits", {{"google.com/tpu", "4"}}}}},
                    {"env", Json::array({{{"name", "TPU_WORKER_ID"}, {"value", "2"}}})}}});
  upsert(Kind::pod, injected);
  EXPECT_EQ(store.group_pods(group).at("2").place, (topology::Place{1, 2}));
}

// docs/decisions/0020: anybody may create and delete Pods with a worker's labels, and only those
// that ask for chips are asked about.
TEST_F(StoreTest, a_worker_without_chips_was_never_ours) {
  Json forged = worker("1");
  forged["spec"]["containers"] = Json::array({{{"name", "main"}}});
  upsert(Kind::pod, forged);
  EXPECT_EQ(store.size(Kind::pod), 0u);
  store.remove(Kind::pod, forged.dump());
  forged["status"]["phase"] = "Failed";
  upsert(Kind::pod, forged);
  EXPECT_TRUE(gone.empty());
}

TEST_F(StoreTest, chips_may_be_asked_for_by_an_init_container_or_a_claim) {
  Json pod = worker("1");
  const Json container = pod["spec"]["containers"];
  pod["spec"] = {{"containers", Json::array({{{"name", "main"}}})}, {"initContainers", container}};
  upsert(Kind::pod, pod);
  EXPECT_EQ(store.size(Kind::pod), 1u);
  pod = worker("2");
  pod["spec"]["containers"] = Json::array(
      {{{"name", "main"}, {"resources", {{"claims", Json::array({{{"name", "tpu"}}})}}}}});
  upsert(Kind::pod, pod);
  EXPECT_EQ(store.size(Kind::pod), 2u);
}

// What a list lacks goes without an event: the ledger asks before it frees anything.
TEST_F(StoreTest, a_relist_drops_what_it_lacks_and_says_nothing_of_it) {
  upsert(Kind::pod, worker("1"));
  upsert(Kind::pod, worker("2", "0-2-00000000000000bb"));
  EXPECT_FALSE(store.synced(Kind::pod));
  store.begin_relist(Kind::pod);
  upsert(Kind::pod, worker("2", "0-2-00000000000000bb"));
  EXPECT_EQ(store.group_pods(group).size(), 2u);  // until it is whole
  store.end_relist(Kind::pod);
  EXPECT_TRUE(store.synced(Kind::pod));
  EXPECT_EQ(store.group_pods(group).size(), 1u);
  EXPECT_TRUE(gone.empty());
}

TEST_F(StoreTest, knows_groups_of_ray_clusters) {
  upsert(
      Kind::ray_cluster,
      {{"metadata", {{"name", "c"}, {"namespace", "ns"}, {"uid", "cluster-uid"}}},
       {"spec",
        {{"workerGroupSpecs",
          Json::array({{{"groupName", "g"}, {"numOfHosts", 4}, {"replicas", 9}, {"maxReplicas", 2}},
                       {{"groupName", "h"}, {"minReplicas", 3}},
                       {{"groupName", "i"}, {"replicas", 1}, {"suspend", true}}})}}}});
  EXPECT_EQ(store.ray_group("ns", "c", "g")->hosts, 4u);
  EXPECT_EQ(store.ray_group("ns", "c", "g")->slices, 2u);
  EXPECT_EQ(store.ray_group("ns", "c", "h")->slices, 3u);
  EXPECT_EQ(store.ray_group("ns", "c", "i")->slices, 0u);
  EXPECT_FALSE(store.ray_group("ns", "c", "j"));
  EXPECT_TRUE(store.has_ray_cluster("ns", "c", "cluster-uid"));
  EXPECT_FALSE(store.has_ray_cluster("ns", "c", "another"));
}

TEST_F(StoreTest, keeps_no_more_groups_of_a_ray_cluster_than_are_bounded) {
  Json groups = Json::array();
  for (std::size_t i = 0; i < 2 * limits::api::worker_groups; ++i)
    groups.push_back({{"groupName", "g" + std::to_string(i)}});
  upsert(Kind::ray_cluster, {{"metadata", {{"name", "c"}, {"namespace", "ns"}, {"uid", "u"}}},
                             {"spec", {{"workerGroupSpecs", groups}}}});
  EXPECT_TRUE(store.ray_group("ns", "c", "g" + std::to_string(limits::api::worker_groups - 1)));
  EXPECT_FALSE(store.ray_group("ns", "c", "g" + std::to_string(limits::api::worker_groups)));
}

TEST_F(StoreTest, names_the_service_of_a_cluster) {
  upsert(Kind::service, {{"metadata",
                          {{"name", "c-headless"},
                           {"namespace", "ns"},
                           {"labels", {{"ray.io/headless-worker-svc", "c"}}}}}});
  EXPECT_EQ(store.ray_headless_service("ns", "c"), "c-headless");
  EXPECT_FALSE(store.ray_headless_service("other", "c"));
}

Json leader(const std::string& uid, const std::string& node) {
  return {{"metadata",
           {{"name", "l-" + uid},
            {"namespace", "ns"},
            {"uid", uid},
            {"labels",
             {{"jobset.sigs.k8s.io/jobset-name", "s"},
              {"jobset.sigs.k8s.io/replicatedjob-name", "r"},
              {"jobset.sigs.k8s.io/job-index", "1"}}},
            {"annotations",
             {{"alpha.jobset.sigs.k8s.io/exclusive-topology", "cloud.google.com/gke-nodepool"},
              {"batch.kubernetes.io/job-completion-index", "0"}}},
            {"ownerReferences",
             {{{"kind", "Job"}, {"name", "s-r-1"}, {"uid", "job-uid"}, {"controller", true}}}}}},
          {"spec", {{"nodeName", node}, {"containers", Json::array()}}}};
}

TEST_F(StoreTest, knows_where_a_leader_runs) {
  const webhook::read::JobOfJobSet job{"ns", "s", "r", "1", "job-uid"};
  const auto domain = [&] { return store.leader_domain(job, "cloud.google.com/gke-nodepool"); };
  upsert(Kind::node,
         {{"metadata", {{"name", "n"}, {"labels", {{"cloud.google.com/gke-nodepool", "pool-a"}}}}},
          {"status", {{"allocatable", {{"google.com/tpu", "4"}}}}}});
  EXPECT_FALSE(domain());
  upsert(Kind::pod, leader("1", ""));
  EXPECT_FALSE(domain());  // not bound yet
  upsert(Kind::pod, leader("1", "n"));
  EXPECT_EQ(domain(), "pool-a");
  upsert(Kind::pod, leader("2", "n"));
  EXPECT_FALSE(domain());  // which of them?
  Json old = leader("1", "n");
  old["metadata"]["deletionTimestamp"] = "2026-11-21T00:00:00Z";
  upsert(Kind::pod, old);
  EXPECT_EQ(domain(), "pool-a");
  const webhook::read::JobOfJobSet restarted{"ns", "s", "r", "1", "another-job"};
  EXPECT_FALSE(store.leader_domain(restarted, "cloud.google.com/gke-nodepool"));
}

TEST_F(StoreTest, passes_over_what_it_cannot_read) {
  for (const char* text : {"", "[]", "{", "{\"metadata\":7}", "{\"metadata\":{\"uid\":{}}}"}) {
    for (const Kind kind : {Kind::pod, Kind::node, Kind::service, Kind::ray_cluster}) {
      store.upsert(kind, text);
      store.remove(kind, text);
      EXPECT_EQ(store.size(kind), 0u);
    }
  }
}

}  // namespace
}  // namespace tpuwh::server::kube::store
