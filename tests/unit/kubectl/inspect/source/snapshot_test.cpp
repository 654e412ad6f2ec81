#include "kubectl/inspect/source/snapshot.hpp"

#include "tests/support/has.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "webhook/read/body.hpp"
#include "webhook/read/pod.hpp"

namespace tpuwh::server::source {
namespace {

using nlohmann::json;
using topology::Place;
using webhook::ledger::PlaceRequest;

struct Recorded final : webhook::ledger::Ledger {
  struct Note {
    std::string cluster_uid, token;
    std::uint32_t hosts;
    Place place;
  };
  std::vector<Note> notes;
  webhook::ledger::PlaceAnswer place(const PlaceRequest&) override { return {}; }
  void note(const PlaceRequest& request, Place place) override {
    notes.push_back({std::string(request.cluster_uid), std::string(request.token),
                     request.size.hosts_per_slice, place});
  }
};

json worker(const json& labels) {
  json pod = json::parse(R"({"kind": "Pod", "metadata": {"namespace": "ml",
    "labels": {"ray.io/node-type": "worker", "ray.io/cluster": "c", "ray.io/group": "g-1"},
    "ownerReferences": [{"controller": true, "uid": "u"}]}, "spec": {"containers": [
      {"name": "w", "resources": {"limits": {"google.com/tpu": "4"}}}]}})");
  pod["metadata"]["labels"].update(labels);
  return pod;
}

json ray_cluster() {
  return json::parse(R"({"kind": "RayCluster", "metadata": {"namespace": "ml", "name": "c"},
    "spec": {"workerGroupSpecs": [
      {"groupName": "g-1", "numOfHosts": 4, "replicas": 2},
      {"groupName": "most", "replicas": 9, "maxReplicas": 3},
      {"groupName": "least", "minReplicas": 2, "maxReplicas": 3},
      {"groupName": "off", "replicas": 2, "suspend": true}]}})");
}

std::string list(const std::vector<json>& items) {
  return json{{"kind", "List"}, {"apiVersion", "v1"}, {"items", items}}.dump();
}

std::vector<Recorded::Note> told(const std::vector<json>& items) {
  Recorded ledger;
  Snapshot::parse(list(items))->seed(ledger);
  std::ranges::sort(ledger.notes, {}, &Recorded::Note::place);
  return ledger.notes;
}

TEST(Snapshot, tells_of_workers_that_have_their_place) {
  json theirs = worker({{"replicaIndex", "g-1-3"}});
  theirs["spec"]["containers"] = json::parse(R"([{"name": "sidecar"},
    {"resources": {"limits": {"google.com/tpu": "2"}}, "env": [{"name": "TPU_WORKER_ID", "value": "4"}]},
    {"resources": {"limits": {"google.com/tpu": "2"}}, "env": [{"name": "TPU_WORKER_ID", "value": "5"}]}])");
  const auto notes = told(
      {ray_cluster(),
       worker({{"ray.io/worker-group-replica-index", "1"}, {"ray.io/replica-host-index", "2"}}),
       worker({{"tpu-webhook.dev/token", "0-3-0123456789abcdef"}}), theirs});
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_EQ(notes[0].place, (Place{0, 3}));
  EXPECT_EQ(notes[0].token, "0-3-0123456789abcdef");
  EXPECT_EQ(notes[1].place, (Place{1, 2}));
  EXPECT_EQ(notes[1].hosts, 4u);
  EXPECT_EQ(notes[1].cluster_uid, "u");
  EXPECT_EQ(notes[2].place, (Place{3, 2}));
}

TEST(Snapshot, passes_over_who_has_no_place_or_has_ended) {
  json ended = worker({{"tpu-webhook.dev/token", "0-3-0123456789abcdef"}});
  ended["status"]["phase"] = "Failed";
  const json odd = json::parse(R"({"kind": "Pod", "metadata": 5})");
  EXPECT_TRUE(told({ended, worker(json::object()), worker({{"replicaIndex", "g-1-x"}}),
                    json{{"kind", "Node"}}, json(5), odd})
                  .empty());
}

TEST(Snapshot, knows_how_many_chips_a_claim_asks_for) {
  using webhook::read::Claimed;
  const auto known = [](const Claimed& asked) {
    return asked.known == Claimed::Known::chips ? std::optional(asked.chips) : std::nullopt;
  };
  const auto asked = [](const std::string& requests) {
    const json made = {{"kind", "ResourceClaimTemplate"},
                       {"metadata", {{"namespace", "ml"}, {"name", "t"}}},
                       {"spec", {{"spec", {{"devices", {{"requests", json::parse(requests)}}}}}}}};
    return Snapshot::parse(list({made}))->claimed({"ml", "t", true});
  };
  const auto chips = [&](const std::string& requests) { return known(asked(requests)); };
  EXPECT_EQ(
      chips(R"([{"name": "a", "exactly": {"deviceClassName": "tpu.google.com", "count": 4}}])"),
      4u);
  EXPECT_EQ(chips(R"([{"name": "a", "deviceClassName": "tpu.google.com", "count": 2}])"), 2u);
  EXPECT_EQ(chips(R"([{"name": "a", "exactly": {"deviceClassName": "tpu.google.com"}}])"), 1u);
  EXPECT_EQ(chips(R"([{"name": "a", "exactly": {"deviceClassName": "netdev.google.com"}}])"), 0u);
  EXPECT_TRUE(asked(R"([{"name": "a", "exactly":
                        {"deviceClassName": "tpu.google.com", "allocationMode": "All"}}])")
                  .all);
  EXPECT_EQ(chips(R"([{"name": "a", "firstAvailable": []}])"), std::nullopt);
  EXPECT_EQ(known(Snapshot::parse(list({}))->claimed({"ml", "t", true})), std::nullopt);
}

// ---- the two views of a cluster

using View = std::unique_ptr<webhook::read::ClusterView>;

// As a server keeps what its watches bring.
View watched(const std::vector<json>& objects) {
  using kube::store::Kind;
  static const std::map<std::string, Kind> kinds = {{"Pod", Kind::pod},
                                                    {"Node", Kind::node},
                                                    {"Service", Kind::service},
                                                    {"RayCluster", Kind::ray_cluster}};
  auto store = std::make_unique<kube::store::Store>(std::string(default_prefix));
  for (const auto& [name, kind] : kinds) {
    store->begin_relist(kind);
    for (const json& each : objects)
      if (each["kind"] == name) {
        std::string text = each.dump();
        store->upsert(kind, webhook::read::Body(text).bytes());
      }
    store->end_relist(kind);
  }
  store->trust_pools(true);
  return store;
}

// As commands read them from a file.
View in_a_file(const std::vector<json>& objects) {
  auto snapshot = Snapshot::parse(list(objects));
  return std::make_unique<Snapshot>(std::move(*snapshot));
}

struct Reading {
  const char* name;
  View (*read)(const std::vector<json>& objects);
};

void PrintTo(const Reading& reading, std::ostream* out) {
  *out << reading.name;
}

class EachView : public testing::TestWithParam<Reading> {
 protected:
  static json node(const std::string& name, bool ready) {
    json out = json::parse(R"({"kind": "Node", "metadata": {"labels": {
      "cloud.google.com/gke-nodepool": "pool", "cloud.google.com/gke-tpu-topology": "2x4",
      "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice"}},
      "status": {"allocatable": {"google.com/tpu": "4"}, "conditions": [{"type": "Ready"}]}})");
    out["metadata"]["name"] = out["metadata"]["uid"] = name;
    out["status"]["conditions"][0]["status"] = ready ? "True" : "False";
    return out;
  }
  static std::vector<std::string> unfit(const webhook::read::ClusterView& view) {
    const webhook::read::Pod pod;
    const std::string key(32, '1');
    base::NameList names;
    view.unfit_pools({.pod = pod,
                      .accelerator = "tpu-v6e-slice",
                      .topology = "2x4",
                      .hosts = 2,
                      .chips_per_host = 4,
                      .slice_key = key},
                     names);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < names.size(); ++i) out.emplace_back(names[i]);
    return out;
  }
};

TEST_P(EachView, knows_groups_of_ray_and_their_service) {
  const View view = GetParam().read(
      {ray_cluster(), json::parse(R"({"kind": "Service", "metadata": {"namespace": "ml",
         "name": "anything", "uid": "s", "labels": {"ray.io/headless-worker-svc": "c"}}})")});
  EXPECT_EQ(view->ray_group("ml", "c", "g-1")->hosts, 4u);
  const std::pair<const char*, std::uint32_t> slices[] = {
      {"g-1", 2}, {"most", 3}, {"least", 2}, {"off", 0}};
  for (const auto& [group, want] : slices)
    EXPECT_EQ(view->ray_group("ml", "c", group)->slices, want) << group;
  EXPECT_FALSE(view->ray_group("ml", "c", "other"));
  EXPECT_FALSE(view->ray_group("ml", "d", "g-1"));
  EXPECT_FALSE(view->ray_group("default", "c", "g-1"));
  EXPECT_EQ(view->ray_headless_service("ml", "c"), "anything");
  EXPECT_FALSE(view->ray_headless_service("default", "c"));
}

TEST_P(EachView, knows_which_pools_are_unfit) {
  EXPECT_EQ(unfit(*GetParam().read({node("a", true), node("b", true)})),
            std::vector<std::string>());
  EXPECT_EQ(unfit(*GetParam().read({node("a", true), node("b", false)})),
            std::vector<std::string>{"pool"});
}

TEST_P(EachView, knows_where_a_leader_runs) {
  json leader = json::parse(R"({"kind": "Pod", "metadata": {"namespace": "ml", "name": "p",
    "uid": "p", "labels": {"jobset.sigs.k8s.io/jobset-name": "s",
      "jobset.sigs.k8s.io/replicatedjob-name": "r", "jobset.sigs.k8s.io/job-index": "1",
      "batch.kubernetes.io/job-completion-index": "0"},
    "annotations": {"alpha.jobset.sigs.k8s.io/exclusive-topology": "cloud.google.com/gke-nodepool",
      "batch.kubernetes.io/job-completion-index": "0"},
    "ownerReferences": [{"kind": "Job", "controller": true, "uid": "u"}]},
    "spec": {"containers": [{"name": "w", "resources": {"limits": {"google.com/tpu": "4"}}}]}})");
  const webhook::read::JobOfJobSet job{"ml", "s", "r", "1", "u"};
  const auto domain = [&] {
    return GetParam()
        .read({node("a", true), leader})
        ->leader_domain(job, "cloud.google.com/gke-nodepool");
  };
  EXPECT_EQ(domain(), std::nullopt);  // not bound yet
  leader["spec"]["nodeName"] = "a";
  EXPECT_EQ(domain(), "pool");
}

INSTANTIATE_TEST_SUITE_P(Views, EachView,
                         testing::Values(Reading{"watched", watched},
                                         Reading{"in_a_file", in_a_file}),
                         [](const auto& each) { return each.param.name; });

TEST(Snapshot, says_what_cannot_be_read) {
  const std::pair<std::string, const char*> cases[] = {{"items:", "not JSON"},
                                                       {std::string(100'000, '['), "not JSON"},
                                                       {"[]", "got array"},
                                                       {"{}", "without kind"}};
  for (const auto& [text, want] : cases)
    EXPECT_TRUE(test::has(Snapshot::parse(text).error().message(), want));
}

}  // namespace
}  // namespace tpuwh::server::source
