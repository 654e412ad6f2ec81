// Each object is in memory of its own that is gone after the call: nothing that is kept, of any
// kind, looks at what came before.
#include "server/kube/store/store.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/own_mapping.hpp"
#include "webhook/read/body.hpp"

namespace tpuwh::server::kube::store {
namespace {

struct Given {
  Kind kind;
  std::string json;
};

std::string pod(std::string_view name, std::string_view labels, std::string_view more = "") {
  return R"({"metadata":{"name":")" + std::string(name) + R"(","namespace":"ns","uid":"uid-)" +
         std::string(name) + R"(","labels":{)" + std::string(labels) +
         R"(},"annotations":{"alpha.jobset.sigs.k8s.io/exclusive-topology":"pool",)" +
         R"("batch.kubernetes.io/job-completion-index":"0"},"ownerReferences":[{"kind":"RayCluster",)" +
         R"("name":"c","uid":"cluster-uid","controller":true}]},"spec":{"nodeName":"n",)" +
         R"("nodeSelector":{"cloud.google.com/gke-tpu-topology":"4x4"},)" +
         R"("resourceClaims":[{"name":"tpus","resourceClaimTemplateName":"t"}],)" +
         R"("containers":[{"name":"main","resources":{"limits":{"google.com/tpu":"4"},)" +
         R"("claims":[{"name":"tpus"}]}}]},"status":{"phase":"Running"})" + std::string(more) + "}";
}

constexpr std::string_view worker_labels =
    R"("ray.io/node-type":"worker","ray.io/cluster":"c","ray.io/group":"g",)"
    R"("tpu-webhook.dev/token":"0-1-00000000000000aa")";

// What stands in it twice, is cut off, has escapes, or another type: read to another end.
std::vector<Given> objects() {
  const std::string long_text(100'000, 'x');
  return {
      {Kind::pod, pod("a", worker_labels)},
      {Kind::pod, pod("b", R"("job-name":"j","jobset.sigs.k8s.io/job-key":"k")")},
      {Kind::pod, pod("c\\u0061", worker_labels, ",\"more\":\"" + long_text + "\"")},
      {Kind::pod, pod("d", worker_labels).substr(0, 300)},
      {Kind::pod, R"({"metadata":7})"},
      {Kind::pod, "{}"},
      {Kind::pod, "[]"},
      {Kind::node, R"({"metadata":{"name":"n","labels":{"cloud.google.com/gke-nodepool":"p",)"
                   R"("cloud.google.com/gke-tpu-topology":"4x4","pool":"p"}},)"
                   R"("status":{"allocatable":{"google.com/tpu":"4"},)"
                   R"("conditions":[{"type":"Ready","status":"True"}]}})"},
      {Kind::node, R"({"metadata":{"name":"m","labels":{"a":[1]}},"status":"x"})"},
      {Kind::service, R"({"metadata":{"name":"c-headless","namespace":"ns",)"
                      R"("labels":{"ray.io/headless-worker-svc":"c"}}})"},
      {Kind::service, R"({"metadata":{"name":7}})"},
      {Kind::ray_cluster,
       R"({"metadata":{"name":"c","namespace":"ns","uid":"cluster-uid"},"spec":{)"
       R"("workerGroupSpecs":[{"groupName":"g","numOfHosts":4,"replicas":2,"maxReplicas":2}]}})"},
      {Kind::ray_cluster, R"({"metadata":{"name":"c"},"spec":{"workerGroupSpecs":[1,{},"x"]}})"},
  };
}

void tell(Store& store, const Given& given, bool is_there) {
  const test::OwnMapping alone(given.json, webhook::read::padding);
  if (is_there)
    store.upsert(given.kind, alone.text());
  else
    store.remove(given.kind, alone.text());
}

void ask(const Store& store) {
  store.ray_group("ns", "c", "g");
  store.ray_headless_service("ns", "c");
  store.has_ray_cluster("ns", "c", "cluster-uid");
  for (const Kind kind : {Kind::pod, Kind::node, Kind::service, Kind::ray_cluster})
    store.size(kind);
}

// Every object before every other, told and taken back.
TEST(FreedObjects, are_not_looked_at_again) {
  const auto all = objects();
  for (const Given& first : all)
    for (const Given& second : all) {
      Store store{"tpu-webhook.dev/"};
      for (const bool there : {true, true, false}) {
        tell(store, first, there);
        tell(store, second, true);
        ask(store);
      }
      tell(store, second, false);
      ask(store);
    }
}

TEST(FreedObjects, are_what_the_store_has) {
  Store store{"tpu-webhook.dev/"};
  for (const Given& each : objects()) tell(store, each, true);
  EXPECT_EQ(store.ray_headless_service("ns", "c"), "c-headless");
  EXPECT_TRUE(store.has_ray_cluster("ns", "c", "cluster-uid"));
  EXPECT_EQ(store.group_pods({"ns", "c", "cluster-uid", "g"}).at("uid-a").token,
            "0-1-00000000000000aa");
}

}  // namespace
}  // namespace tpuwh::server::kube::store
