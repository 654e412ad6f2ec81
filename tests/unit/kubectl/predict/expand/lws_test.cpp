#include "tests/unit/kubectl/predict/expand/expanded.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::expand {
namespace {

constexpr const char* tpu_group = R"(
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: m}
spec:
  leaderWorkerTemplate:
    size: 4
    workerTemplate:
      spec: {containers: [{name: c, resources: {limits: {google.com/tpu: "4"}}}]}
)";

const std::string lws_prefix = "leaderworkerset.sigs.k8s.io/";

Json group_with_plain_leader() {
  Json lws = object_of(tpu_group);
  lws["spec"]["leaderWorkerTemplate"]["leaderTemplate"]["spec"]["containers"] =
      Json::parse(R"([{"name": "leader"}])");
  return lws;
}

Json subgroups(Json lws, int size, int subgroup_size, const char* type = nullptr) {
  Json& group = lws["spec"]["leaderWorkerTemplate"];
  group["size"] = size;
  group["subGroupPolicy"]["subGroupSize"] = subgroup_size;
  if (type != nullptr) group["subGroupPolicy"]["subGroupPolicyType"] = type;
  return lws;
}

TEST(ALeader, without_a_template_of_its_own_has_the_workers) {
  const Expansion got = expand_yaml(tpu_group);
  EXPECT_EQ(names_of(got), (Texts{"m-0", "m-0-1", "m-0-2", "m-0-3"}));
  EXPECT_EQ(variable(got, "TPU_WORKER_ID"), (Texts{"0", "1", "2", "3"}));
  EXPECT_EQ(variable(got, "LWS_LEADER_ADDRESS"), Texts(4, "m-0.m.default"));
}

TEST(ALeader, without_tpus_is_no_host) {
  const Expansion got = expansion_of(group_with_plain_leader());
  EXPECT_EQ(variable(got, "TPU_WORKER_ID"), (Texts{"-", "0", "1", "2"}));
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES").at(1), "m-0-1.m,m-0-2.m,m-0-3.m");
}

TEST(AGroup, of_one_has_no_workers) {
  Json lws = object_of(tpu_group);
  lws["spec"]["leaderWorkerTemplate"].erase("size");
  lws["spec"]["replicas"] = 2;
  const Expansion got = expansion_of(lws);
  EXPECT_EQ(names_of(got), (Texts{"m-0", "m-1"}));
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES"), (Texts{"m-0.m", "m-1.m"}));
  EXPECT_EQ(variable(got, "LWS_GROUP_SIZE"), (Texts{"1", "1"}));
}

TEST(AGroup, has_a_subdomain_of_its_own_where_it_asks_for_one) {
  Json lws = object_of(tpu_group);
  lws["spec"]["networkConfig"]["subdomainPolicy"] = "UniquePerReplica";
  const Expansion got = expansion_of(lws);
  for (const Json& pod : got.pods) EXPECT_EQ(pod["spec"]["subdomain"], "m-0");
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES").at(3), "m-0.m-0,m-0-1.m-0,m-0-2.m-0,m-0-3.m-0");
  EXPECT_EQ(got.pods.at(0)["metadata"]["annotations"].value(lws_prefix + "subdomainPolicy", ""),
            "UniquePerReplica");
}

TEST(AGroup, waits_for_its_leader_with_the_same_pods) {
  Json lws = object_of(tpu_group);
  lws["spec"]["startupPolicy"] = "LeaderReady";
  EXPECT_EQ(expansion_of(lws).pods, expand_yaml(tpu_group).pods);
}

TEST(TwoContainers, of_a_host_are_two_processes) {
  Json lws = object_of(tpu_group);
  Json& containers = lws["spec"]["leaderWorkerTemplate"]["workerTemplate"]["spec"]["containers"];
  containers.push_back(Json(containers[0]));
  containers[1]["env"] = Json::parse(R"([{"name": "TPU_PROCESS_PORT", "value": "9000"}])");
  lws["spec"]["leaderWorkerTemplate"]["size"] = 2;
  const Expansion got = expansion_of(lws);
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES").at(0), "m-0.m,m-0.m,m-0-1.m,m-0-1.m");
  EXPECT_EQ(variable(got, "TPU_PROCESS_ADDRESSES").at(0),
            "m-0.m:8476,m-0.m:9000,m-0-1.m:8476,m-0-1.m:9000");
  EXPECT_EQ(variable(got, "TPU_WORKER_ID"), (Texts{"0", "2"}));
  EXPECT_EQ(variable(got, "TPU_PROCESS_PORT"), (Texts{"8476", "8476"}));
}

TEST(AVariable, of_the_user_keeps_all_others_away) {
  Json lws = object_of(tpu_group);
  lws["spec"]["leaderWorkerTemplate"]["workerTemplate"]["spec"]["containers"][0]["env"] =
      Json::parse(R"([{"name": "TPU_WORKER_ID", "value": ""}, {"name": "LWS_GROUP_SIZE"}])");
  const Expansion got = expansion_of(lws);
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES"), Texts(4, "-"));
  EXPECT_EQ(variable(got, "LWS_GROUP_SIZE"), Texts(4, "4"));
}

TEST(Subgroups, with_the_leader_shift_by_one) {
  const Expansion got = expansion_of(subgroups(object_of(tpu_group), 4, 2));
  EXPECT_EQ(labels_of(got, lws_prefix + "subgroup-index"), (Texts{"0", "0", "1", "1"}));
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES"),
            (Texts{"m-0.m,m-0-1.m", "m-0.m,m-0-1.m", "m-0-2.m,m-0-3.m", "m-0-2.m,m-0-3.m"}));
  // The first is what LeaderWorkerSet v0.9.0 writes into a leader.
  EXPECT_EQ(variable(got, "TPU_WORKER_ID"), (Texts{"-1", "1", "0", "1"}));
}

TEST(Subgroups, beside_a_leader_begin_with_the_first_worker) {
  const Expansion got = expansion_of(subgroups(group_with_plain_leader(), 5, 2, "LeaderExcluded"));
  EXPECT_EQ(labels_of(got, lws_prefix + "subgroup-index"), (Texts{"-", "0", "0", "1", "1"}));
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES").at(4), "m-0-3.m,m-0-4.m");
  EXPECT_EQ(variable(got, "TPU_WORKER_ID"), (Texts{"-", "0", "1", "0", "1"}));
  const Json& annotations = got.pods.at(0)["metadata"]["annotations"];
  EXPECT_EQ(annotations.value(lws_prefix + "subgroup-policy-type", ""), "LeaderExcluded");
}

TEST(Subgroups, that_exclude_a_leader_with_tpus_are_refused) {
  const Expansion got = expansion_of(subgroups(object_of(tpu_group), 5, 2, "LeaderExcluded"));
  EXPECT_EQ(got.error,
            "spec.leaderWorkerTemplate.subGroupPolicy: excludes a leader that asks for TPUs: "
            "LeaderWorkerSet's webhook refuses its Pod");
}

TEST(Subgroups, of_a_topology_have_affinity_each) {
  Json lws = subgroups(object_of(tpu_group), 4, 2);
  lws["metadata"]["annotations"][lws_prefix + "subgroup-exclusive-topology"] = "pool";
  const Expansion got = expansion_of(lws);
  for (const Json& pod : got.pods) {
    const Json& terms = pod["spec"]["affinity"]["podAntiAffinity"]
                           ["requiredDuringSchedulingIgnoredDuringExecution"];
    ASSERT_EQ(terms.size(), 1u);
    EXPECT_EQ(terms[0]["labelSelector"]["matchExpressions"][1]["values"][0],
              pod["metadata"]["labels"][lws_prefix + "subgroup-key"]);
  }
}

TEST(Claims, of_a_group_are_of_its_leader_and_its_workers) {
  Json lws = object_of(tpu_group);
  lws["spec"]["leaderWorkerTemplate"]["volumeClaimTemplates"] =
      Json::parse(R"([{"metadata": {"name": "data"}}])");
  const Expansion got = expansion_of(lws);
  EXPECT_EQ(got.pods.at(3)["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"],
            "data-m-0-3");
}

}  // namespace
}  // namespace tpuwh::server::expand
