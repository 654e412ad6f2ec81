#include "server/kube/store/store.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/limits/limits.hpp"
#include "tests/support/heap_bytes.hpp"
#include "tests/support/own_mapping.hpp"
#include "webhook/read/body.hpp"
#include "webhook/read/pod.hpp"

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

// Each object is in memory of its own that is unmapped after the call. A test therefore crashes if
// the store keeps a view of the object.
class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    store.when_gone([this](const GroupName&, const std::string& lost) { gone.push_back(lost); });
  }
  void upsert(Kind kind, const Json& object) { upsert_text(kind, object.dump()); }
  void upsert_text(Kind kind, const std::string& text) {
    store.upsert(kind, test::OwnMapping(text, webhook::read::padding).text());
  }
  void remove(Kind kind, const Json& object) { remove_text(kind, object.dump()); }
  void remove_text(Kind kind, const std::string& text) {
    store.remove(kind, test::OwnMapping(text, webhook::read::padding).text());
  }

  Store store{"tpu-webhook.dev/"};
  std::vector<std::string> gone;
};

TEST_F(StoreTest, keeps_ray_workers_by_group) {
  upsert(Kind::pod, worker("1"));
  ASSERT_EQ(store.group_pods(group).size(), 1u);
  EXPECT_EQ(store.group_pods(group).at("1").token, token);
  EXPECT_EQ(store.group_pods(group).at("1").place, (topology::Place{0, 1}));
  remove(Kind::pod, worker("1"));
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
  remove(Kind::pod, forged);
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

// --- Node pools

Json tpu_node(int number) {
  return {{"metadata",
           {{"name", "n" + std::to_string(number)},
            {"labels",
             {{"cloud.google.com/gke-nodepool", "pool"},
              {"cloud.google.com/gke-tpu-accelerator", "tpu-v6e-slice"},
              {"cloud.google.com/gke-tpu-topology", "4x4"}}}}},
          {"spec",
           {{"taints",
             Json::array(
                 {{{"key", "google.com/tpu"}, {"value", "present"}, {"effect", "NoSchedule"}}})}}},
          {"status",
           {{"allocatable", {{"google.com/tpu", "4"}}},
            {"conditions", Json::array({{{"type", "MemoryPressure"}, {"status", "False"}},
                                        {{"type", "Ready"}, {"status", "True"}}})}}}};
}

Json holder(const std::string& uid, const std::string& node) {
  return {
      {"metadata", {{"name", "h-" + uid}, {"namespace", "ns"}, {"uid", uid}}},
      {"spec",
       {{"nodeName", node},
        {"containers", Json::array({{{"name", "main"},
                                     {"resources", {{"limits", {{"google.com/tpu", "4"}}}}}}})}}},
      {"status", {{"phase", "Running"}}}};
}

// Four nodes of a pool, and a slice of four hosts that asks about it.
class PoolsOfTheStore : public StoreTest {
 protected:
  PoolsOfTheStore() {
    for (int number = 0; number < 4; ++number) upsert(Kind::node, tpu_node(number));
    store.trust_pools(true);
  }
  bool unfit(const std::string& key = std::string(32, '1')) const {
    const webhook::read::Pod pod;
    base::NameList names;
    store.unfit_pools({.pod = pod,
                       .accelerator = "tpu-v6e-slice",
                       .topology = "4x4",
                       .hosts = 4,
                       .chips_per_host = 4,
                       .slice_key = key},
                      names);
    return names.size() == 1 && names[0] == "pool";
  }
};

TEST_F(PoolsOfTheStore, are_fit_while_all_nodes_are_well) {
  EXPECT_FALSE(unfit());
}

TEST_F(PoolsOfTheStore, are_judged_by_what_a_node_says) {
  const std::vector<Json> changes = {
      {{"op", "add"}, {"path", "/spec/unschedulable"}, {"value", true}},
      {{"op", "replace"}, {"path", "/status/conditions/1/status"}, {"value", "Unknown"}},
      {{"op", "replace"}, {"path", "/status/conditions/1/status"}, {"value", "False"}},
      {{"op", "replace"}, {"path", "/spec/taints/0/key"}, {"value", "team"}},
      {{"op", "replace"}, {"path", "/status/allocatable/google.com~1tpu"}, {"value", "0"}},
      {{"op", "remove"}, {"path", "/status/allocatable/google.com~1tpu"}},
  };
  for (const Json& change : changes) {
    upsert(Kind::node, tpu_node(2).patch(Json::array({change})));
    EXPECT_TRUE(unfit()) << change;
    upsert(Kind::node, tpu_node(2));
    EXPECT_FALSE(unfit()) << change;
  }
  Json soft = tpu_node(2);
  soft["spec"]["taints"].push_back({{"key", "team"}, {"effect", "PreferNoSchedule"}});
  upsert(Kind::node, soft);
  EXPECT_FALSE(unfit());
  remove(Kind::node, tpu_node(2));
  EXPECT_TRUE(unfit());
}

TEST_F(PoolsOfTheStore, are_held_by_bound_pods_that_stay) {
  upsert(Kind::pod, holder("1", "n1"));
  EXPECT_TRUE(unfit());
  Json leaving = holder("1", "n1");
  leaving["metadata"]["deletionTimestamp"] = "2026-11-22T00:00:00Z";
  upsert(Kind::pod, leaving);
  EXPECT_FALSE(unfit());
  upsert(Kind::pod, holder("2", ""));  // not bound
  EXPECT_FALSE(unfit());
  upsert(Kind::pod, holder("2", "n3"));
  EXPECT_TRUE(unfit());
  Json ended = holder("2", "n3");
  ended["status"]["phase"] = "Succeeded";
  upsert(Kind::pod, ended);
  EXPECT_FALSE(unfit());
}

TEST_F(PoolsOfTheStore, know_a_slice_by_its_label) {
  const std::string key(32, 'a');
  Json member = holder("1", "n1");
  member["metadata"]["labels"] = {{"tpu-webhook.dev/slice-key", key}};
  upsert(Kind::pod, member);
  EXPECT_FALSE(unfit());  // of the same priority
  member["spec"]["priority"] = 1000;
  upsert(Kind::pod, member);
  EXPECT_TRUE(unfit());
  EXPECT_FALSE(unfit(key));  // a member is bound
  remove(Kind::pod, member);
  EXPECT_FALSE(unfit());
}

TEST_F(PoolsOfTheStore, count_the_chips_of_what_runs_together) {
  Json small = holder("1", "n1");
  small["spec"]["containers"][0]["resources"]["limits"]["google.com/tpu"] = "1";
  small["spec"]["initContainers"] = small["spec"]["containers"];
  upsert(Kind::pod, small);
  EXPECT_TRUE(unfit());
  Json none = small;
  none["spec"]["containers"][0]["resources"] = Json::object();
  none["spec"]["initContainers"] = Json::array();
  upsert(Kind::pod, none);
  EXPECT_FALSE(unfit());
}

// What the scheduler takes of a node: init containers run one by one, before the others.
TEST(ObjectsOfTheStore, hold_the_chips_of_what_runs_together) {
  const auto asks = [](const std::vector<int>& all, bool sidecars = false) {
    Json containers = Json::array();
    for (const int chips : all) {
      containers.push_back({{"name", "c" + std::to_string(containers.size())}});
      if (chips > 0)
        containers.back()["resources"]["limits"]["google.com/tpu"] = std::to_string(chips);
      if (sidecars) containers.back()["restartPolicy"] = "Always";
    }
    return containers;
  };
  struct Case {
    Json containers, inits;
    std::uint32_t want;
  };
  ObjectReader reader("tpu-webhook.dev/");
  for (const Case& each : {Case{asks({1, 2}), asks({}), 3},
                           {asks({1, 2}), asks({2, 1}), 3},
                           {asks({1}), asks({2, 4}), 4},
                           {asks({1}), asks({2}, true), 3},
                           {asks({0}), asks({1}), 1},
                           {asks({1}), asks({}), 1},
                           {asks({0}), asks({}), 0}}) {
    Json pod = worker("1");
    pod["spec"] = {
        {"nodeName", "n"}, {"containers", each.containers}, {"initContainers", each.inits}};
    std::string text = pod.dump();
    const auto read = reader.pod(webhook::read::Body(text).bytes());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->holding ? read->holding->holder.chips : 0u, each.want) << text;
    EXPECT_EQ(read->ray.has_value(), each.want > 0) << text;
  }
}

TEST(ObjectsOfTheStore, have_no_chips_that_are_no_number) {
  ObjectReader reader("tpu-webhook.dev/");
  for (const std::string chips : {"4", R"("4")", R"("4.5")", R"("")", "{}", "null"}) {
    std::string text =
        R"({"metadata":{"name":"n"},"status":{"allocatable":{"google.com/tpu":)" + chips + "}}}";
    const auto node = reader.node(webhook::read::Body(text).bytes());
    ASSERT_TRUE(node);
    EXPECT_EQ(node->chips, chips == "4" || chips == R"("4")" ? 4u : 0u) << text;
  }
}

TEST(ObjectsOfTheStore, have_the_taints_that_keep_pods_away) {
  ObjectReader reader("tpu-webhook.dev/");
  std::string text =
      R"({"metadata":{"name":"n"},"spec":{"taints":[{"key":"a","value":"b","effect":"NoSchedule"},)"
      R"({"key":"c","effect":"PreferNoSchedule"},{"key":"d","effect":"NoExecute"}]}})";
  const auto node = reader.node(webhook::read::Body(text).bytes());
  ASSERT_TRUE(node);
  ASSERT_EQ(node->taints.size(), 2u);
  EXPECT_EQ(node->taints[0].key + '=' + node->taints[0].value, "a=b");
  EXPECT_FALSE(node->taints[0].no_execute);
  EXPECT_EQ(node->taints[1].key, "d");
  EXPECT_TRUE(node->taints[1].no_execute);
}

TEST(ObjectsOfTheStore, are_services_of_a_cluster_where_they_name_pods) {
  ObjectReader reader("tpu-webhook.dev/");
  struct Case {
    const char* spec;
    const char* want;
  };
  for (const Case& each : {Case{R"({"type":"ClusterIP","clusterIP":"None"})", "c"},
                           {R"({"name":"ExternalName"})", "c"},
                           {R"({"type":"ExternalName","clusterIP":"None"})", ""},
                           {R"({"clusterIP":"10.0.0.1"})", ""},
                           {R"({"name":"10.0.0.1"})", "c"}}) {
    std::string text =
        R"({"metadata":{"name":"s","labels":{"ray.io/headless-worker-svc":"c"}},"spec":)" +
        std::string(each.spec) + "}";
    const auto service = reader.service(webhook::read::Body(text).bytes());
    ASSERT_TRUE(service);
    EXPECT_EQ(service->ray_cluster, each.want) << text;
  }
}

TEST(ObjectsOfTheStore, have_no_slices_while_their_cluster_is_suspended) {
  ObjectReader reader("tpu-webhook.dev/");
  struct Case {
    const char* member;
    std::uint32_t want;
  };
  for (const Case& each : {Case{R"("suspend":true)", 0},
                           {R"("suspend":false)", 2},
                           {R"("suspend":"true")", 2},
                           {R"("enableInTreeAutoscaling":true)", 2}}) {
    std::string text = R"({"metadata":{"name":"c"},"spec":{)" + std::string(each.member) +
                       R"(,"workerGroupSpecs":[{"groupName":"g","replicas":2}]}})";
    const auto cluster = reader.ray_cluster(webhook::read::Body(text).bytes());
    ASSERT_TRUE(cluster);
    EXPECT_EQ(cluster->groups.at("g").slices, each.want) << text;
    EXPECT_EQ(cluster->groups.at("g").hosts, 1u);
  }
}

TEST(ObjectsOfTheStore, pass_over_a_label_that_is_no_text) {
  ObjectReader reader("tpu-webhook.dev/");
  std::string text = R"({"metadata":{"name":"n","labels":{"a":"x","b":5,"c":"y"}}})";
  const auto node = reader.node(webhook::read::Body(text).bytes());
  ASSERT_TRUE(node);
  EXPECT_EQ(node->labels.value("a"), "x");
  EXPECT_EQ(node->labels.value("b"), "");
  EXPECT_EQ(node->labels.value("c"), "y");
}

TEST_F(PoolsOfTheStore, are_not_known_while_they_are_not_trusted) {
  remove(Kind::node, tpu_node(2));
  EXPECT_TRUE(unfit());
  store.trust_pools(false);
  EXPECT_FALSE(unfit());
}

TEST_F(StoreTest, a_kind_is_fresh_once_it_is_listed_and_until_its_watch_is_silent) {
  using namespace std::chrono_literals;
  const Store::TimePoint begin{1h};
  store.moved(Kind::pod, begin);
  EXPECT_FALSE(store.is_fresh(Kind::pod, begin));
  for (const Kind kind : {Kind::pod, Kind::node}) {
    store.begin_relist(kind);
    store.end_relist(kind);
  }
  EXPECT_TRUE(store.is_fresh(Kind::pod, begin + limits::api::stale));
  EXPECT_FALSE(store.is_fresh(Kind::pod, begin + limits::api::stale + 1ms));
  EXPECT_FALSE(store.is_fresh(Kind::node, begin + limits::api::stale));  // another's watch
  store.moved(Kind::pod, begin + 10s);
  EXPECT_TRUE(store.is_fresh(Kind::pod, begin + limits::api::stale + 10s));
}

TEST_F(PoolsOfTheStore, are_as_the_last_list_has_them) {
  store.begin_relist(Kind::node);
  for (int number = 0; number < 3; ++number) upsert(Kind::node, tpu_node(number));
  EXPECT_FALSE(unfit());  // until it is whole
  store.end_relist(Kind::node);
  EXPECT_TRUE(unfit());
  EXPECT_EQ(store.size(Kind::node), 3u);
}

// One without chips may have had some, and its label says so.
TEST_F(StoreTest, keeps_nodes_with_chips_or_with_their_label) {
  upsert_text(Kind::node, R"({"metadata":{"name":"none"}})");
  EXPECT_EQ(store.size(Kind::node), 0u);
  upsert_text(
      Kind::node,
      R"({"metadata":{"name":"label","labels":{"cloud.google.com/gke-tpu-accelerator":"a"}}})");
  EXPECT_EQ(store.size(Kind::node), 1u);
  upsert_text(Kind::node,
              R"({"metadata":{"name":"one"},"status":{"allocatable":{"google.com/tpu":"1"}}})");
  EXPECT_EQ(store.size(Kind::node), 2u);
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

Json service(const std::string& name, const char* address, const char* owner) {
  Json out = {
      {"metadata",
       {{"name", name}, {"namespace", "ns"}, {"labels", {{"ray.io/headless-worker-svc", "c"}}}}},
      {"spec", {{"clusterIP", address}}}};
  if (owner != nullptr)
    out["metadata"]["ownerReferences"] = {{{"kind", "RayCluster"}, {"name", owner}, {"uid", "u"}}};
  return out;
}

// Whoever may create Services may give any of them the label.
TEST_F(StoreTest, takes_a_service_that_the_cluster_owns_and_that_names_pods) {
  upsert(Kind::service, service("m-own", "None", "c"));
  for (const Json& other :
       {service("a-address", "10.0.0.7", nullptr), service("a-made", "None", nullptr),
        service("a-of-another", "None", "d"), service("a-none", "", "c")})
    upsert(Kind::service, other);
  EXPECT_EQ(store.ray_headless_service("ns", "c"), "m-own");
  remove(Kind::service, service("m-own", "None", "c"));
  EXPECT_EQ(store.ray_headless_service("ns", "c"), "a-made") << "one that somebody made by hand";
  upsert(Kind::service, service("a-made", "10.0.0.8", nullptr));
  EXPECT_EQ(store.ray_headless_service("ns", "c"), "a-of-another");
}

// Each kind by itself: what goes of one leaves the others.
TEST_F(StoreTest, forgets_of_each_kind_what_is_removed) {
  const Json cluster = {{"metadata", {{"name", "c"}, {"namespace", "ns"}, {"uid", "cluster-uid"}}},
                        {"spec", {{"workerGroupSpecs", {{{"groupName", "g"}, {"replicas", 1}}}}}}};
  upsert(Kind::ray_cluster, cluster);
  upsert(Kind::service, service("s", "None", "c"));
  upsert(Kind::pod, worker("1"));
  remove(Kind::service, service("s", "None", "c"));
  EXPECT_FALSE(store.ray_headless_service("ns", "c"));
  EXPECT_TRUE(store.ray_group("ns", "c", "g"));
  EXPECT_EQ(store.group_pods(group).size(), 1u);
  remove(Kind::ray_cluster, cluster);
  EXPECT_FALSE(store.ray_group("ns", "c", "g"));
  EXPECT_EQ(store.group_pods(group).size(), 1u);
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
          {"spec",
           {{"nodeName", node},
            {"containers",
             {{{"name", "main"}, {"resources", {{"limits", {{"google.com/tpu", "4"}}}}}}}}}}};
}

Json pool_node() {
  return {{"metadata", {{"name", "n"}, {"labels", {{"cloud.google.com/gke-nodepool", "pool-a"}}}}},
          {"status", {{"allocatable", {{"google.com/tpu", "4"}}}}}};
}

// The store has a Node of a node pool. domain() returns the domain of the leader Pod of a Job.
class LeadersOfTheStore : public StoreTest {
 protected:
  LeadersOfTheStore() { upsert(Kind::node, pool_node()); }
  std::optional<std::string> domain(const std::string& job_uid = "job-uid") const {
    return store.leader_domain({"ns", "s", "r", "1", job_uid}, "cloud.google.com/gke-nodepool");
  }
};

// Anybody may give a Pod a leader's labels and annotations; one without chips leads nobody.
TEST_F(LeadersOfTheStore, takes_no_pod_without_chips_for_a_leader) {
  Json forged = leader("2", "n");
  forged["spec"]["containers"][0].erase("resources");
  upsert(Kind::pod, forged);
  EXPECT_FALSE(domain());
  upsert(Kind::pod, leader("1", "n"));
  EXPECT_EQ(domain(), "pool-a");
}

// A feature that is off keeps nothing of Pods.
TEST_F(StoreTest, keeps_the_parts_of_pods_that_are_wanted) {
  Json one = worker("1");
  one["spec"]["nodeName"] = "n";
  store.keep_of_pods({.ray_workers = false, .leaders = false, .holders = false});
  upsert(Kind::pod, one);
  upsert(Kind::pod, leader("2", "n"));
  EXPECT_EQ(store.size(Kind::pod), 0u);
  store.keep_of_pods({.ray_workers = false, .leaders = false});
  upsert(Kind::pod, one);
  EXPECT_EQ(store.size(Kind::pod), 1u) << "it has chips of a Node";
  EXPECT_TRUE(store.group_pods(group).empty());
  store.keep_of_pods({.ray_workers = true, .leaders = false, .holders = false});
  upsert(Kind::pod, one);
  upsert(Kind::pod, leader("2", "n"));
  EXPECT_EQ(store.size(Kind::pod), 1u);
  EXPECT_EQ(store.group_pods(group).size(), 1u);
}

// Its chips may be in a claim: then nothing but a label says that it is worth reading.
TEST(ObjectsOfTheStore, may_be_leaders_by_the_label_of_their_jobset) {
  ObjectReader reader("tpu-webhook.dev/");
  for (const std::string label : {"jobset.sigs.k8s.io/jobset-name", "app"}) {
    Json pod = leader("1", "n");
    pod["metadata"]["labels"] = {{label, "s"}};
    pod["spec"]["containers"][0]["resources"] = {{"claims", Json::array({{{"name", "tpu"}}})}};
    std::string text = pod.dump();
    const auto read = reader.pod(webhook::read::Body(text).bytes());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->leader.has_value(), label != "app");
  }
}

// Nothing that the API server does not bound is kept: 440 Pods with an owner's uid of 1.3 MB took
// 562 MiB.
TEST_F(StoreTest, keeps_no_text_without_bound) {
  const std::string longest(1u << 16, 'x');
  const std::size_t before = test::heap_bytes();
  for (int i = 0; i < 32; ++i) {
    const std::string uid = std::to_string(i);
    Json one = leader("l" + uid, "n"), other = worker("w" + uid);
    one["metadata"]["ownerReferences"][0]["uid"] = longest + uid;
    other["metadata"]["ownerReferences"][0]["uid"] = longest + uid;
    upsert(Kind::pod, one);
    upsert(Kind::pod, other);
    upsert(Kind::ray_cluster,
           {{"metadata", {{"name", "c" + uid}, {"namespace", "ns"}, {"uid", uid}}},
            {"spec", {{"workerGroupSpecs", {{{"groupName", longest}, {"replicas", 1}}}}}}});
  }
  const std::size_t after = test::heap_bytes();
  EXPECT_LT(after, before + (1u << 20)) << "6 MiB were read";
  EXPECT_FALSE(store.ray_group("ns", "c1", longest));
}

TEST_F(LeadersOfTheStore, keeps_an_owners_uid_of_the_longest) {
  const std::string longest(webhook::read::max_uid_bytes, 'u');
  for (const std::string& uid : {longest, longest + 'u'}) {
    Json leading = leader(uid, "n");
    leading["metadata"]["uid"] = "l";
    leading["metadata"]["ownerReferences"][0]["uid"] = uid;
    upsert(Kind::pod, leading);
    EXPECT_EQ(domain(uid).has_value(), uid == longest);
  }
}

TEST_F(LeadersOfTheStore, knows_where_a_leader_runs) {
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
  EXPECT_FALSE(domain("another-job"));
}

TEST_F(StoreTest, passes_over_what_it_cannot_read) {
  for (const std::string text :
       {"", "[]", "{", "{\"metadata\":7}", "{\"metadata\":{\"uid\":{}}}"}) {
    for (const Kind kind : {Kind::pod, Kind::node, Kind::service, Kind::ray_cluster}) {
      upsert_text(kind, text);
      remove_text(kind, text);
      EXPECT_EQ(store.size(kind), 0u);
    }
  }
}

TEST_F(LeadersOfTheStore, forgets_a_leader_that_is_gone) {
  upsert(Kind::pod, leader("1", "n"));
  upsert(Kind::pod, leader("2", "n"));
  EXPECT_FALSE(domain()) << "which of them?";
  remove(Kind::pod, leader("1", "n"));
  EXPECT_EQ(domain(), "pool-a");
  remove(Kind::pod, leader("2", "n"));
  EXPECT_FALSE(domain());
}

TEST_F(StoreTest, names_no_pools_of_an_earlier_question) {
  base::NameList names;
  names.add("left");
  const webhook::read::Pod pod;
  store.unfit_pools({.pod = pod, .accelerator = "a", .topology = "t", .slice_key = ""}, names);
  EXPECT_EQ(names.size(), 0u);
}

}  // namespace
}  // namespace tpuwh::server::kube::store
