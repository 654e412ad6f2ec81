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

Expansion group_with(const Edits& edits) {
  return expand_edited(tpu_group, edits);
}

const Edits::value_type plain_leader = {"/spec/leaderWorkerTemplate/leaderTemplate",
                                        "{spec: {containers: [{name: leader}]}}"};
const Edits::value_type five = {"/spec/leaderWorkerTemplate/size", "5"};
const Edits::value_type of_two = {"/spec/leaderWorkerTemplate/subGroupPolicy", "{subGroupSize: 2}"};
const Edits::value_type of_two_beside = {"/spec/leaderWorkerTemplate/subGroupPolicy",
                                         "{subGroupSize: 2, subGroupPolicyType: LeaderExcluded}"};

TEST(ALeader, without_tpus_is_no_host) {
  const Expansion got = group_with({plain_leader});
  EXPECT_EQ(variable(got, "TPU_WORKER_ID"), (Texts{"-", "0", "1", "2"}));
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES").at(1), "m-0-1.m,m-0-2.m,m-0-3.m");
}

TEST(AGroup, of_one_has_no_workers) {
  const Expansion got =
      group_with({{"/spec/leaderWorkerTemplate/size", nullptr}, {"/spec/replicas", "2"}});
  EXPECT_EQ(names_of(got), (Texts{"m-0", "m-1"}));
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES"), (Texts{"m-0.m", "m-1.m"}));
  EXPECT_EQ(variable(got, "LWS_GROUP_SIZE"), (Texts{"1", "1"}));
}

TEST(AGroup, has_a_subdomain_of_its_own_where_it_asks_for_one) {
  const Expansion got =
      group_with({{"/spec/networkConfig", "{subdomainPolicy: UniquePerReplica}"}});
  for (const Json& pod : got.pods) EXPECT_EQ(pod["spec"]["subdomain"], "m-0");
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES").at(3), "m-0.m-0,m-0-1.m-0,m-0-2.m-0,m-0-3.m-0");
  EXPECT_EQ(got.pods.at(0)["metadata"]["annotations"].value(lws_prefix + "subdomainPolicy", ""),
            "UniquePerReplica");
}

TEST(AGroup, waits_for_its_leader_with_the_same_pods) {
  EXPECT_EQ(group_with({{"/spec/startupPolicy", "LeaderReady"}}).pods, group_with({}).pods);
}

TEST(TwoContainers, of_a_host_are_two_processes) {
  const Expansion got = group_with({{"/spec/leaderWorkerTemplate/workerTemplate/spec/containers/1",
                                     "{name: c, resources: {limits: {google.com/tpu: '4'}}, env: "
                                     "[{name: TPU_PROCESS_PORT, value: '9000'}]}"},
                                    {"/spec/leaderWorkerTemplate/size", "2"}});
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES").at(0), "m-0.m,m-0.m,m-0-1.m,m-0-1.m");
  EXPECT_EQ(variable(got, "TPU_PROCESS_ADDRESSES").at(0),
            "m-0.m:8476,m-0.m:9000,m-0-1.m:8476,m-0-1.m:9000");
  EXPECT_EQ(variable(got, "TPU_WORKER_ID"), (Texts{"0", "2"}));
  EXPECT_EQ(variable(got, "TPU_PROCESS_PORT"), (Texts{"8476", "8476"}));
}

TEST(AVariable, of_the_user_keeps_all_others_away) {
  const Expansion got =
      group_with({{"/spec/leaderWorkerTemplate/workerTemplate/spec/containers/0/env",
                   "[{name: TPU_WORKER_ID, value: ''}, {name: LWS_GROUP_SIZE}]"}});
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES"), Texts(4, "-"));
  EXPECT_EQ(variable(got, "LWS_GROUP_SIZE"), Texts(4, "4"));
}

TEST(Subgroups, with_the_leader_shift_by_one) {
  const Expansion got = group_with({of_two});
  EXPECT_EQ(labels_of(got, lws_prefix + "subgroup-index"), (Texts{"0", "0", "1", "1"}));
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES"),
            (Texts{"m-0.m,m-0-1.m", "m-0.m,m-0-1.m", "m-0-2.m,m-0-3.m", "m-0-2.m,m-0-3.m"}));
  // The first is what LeaderWorkerSet v0.9.0 writes into a leader.
  EXPECT_EQ(variable(got, "TPU_WORKER_ID"), (Texts{"-1", "1", "0", "1"}));
}

TEST(Subgroups, beside_a_leader_begin_with_the_first_worker) {
  const Expansion got = group_with({plain_leader, five, of_two_beside});
  EXPECT_EQ(labels_of(got, lws_prefix + "subgroup-index"), (Texts{"-", "0", "0", "1", "1"}));
  EXPECT_EQ(variable(got, "TPU_WORKER_HOSTNAMES").at(4), "m-0-3.m,m-0-4.m");
  EXPECT_EQ(variable(got, "TPU_WORKER_ID"), (Texts{"-", "0", "1", "0", "1"}));
  const Json& annotations = got.pods.at(0)["metadata"]["annotations"];
  EXPECT_EQ(annotations.value(lws_prefix + "subgroup-policy-type", ""), "LeaderExcluded");
}

TEST(Subgroups, that_exclude_a_leader_with_tpus_are_refused) {
  const Expansion got = group_with({five, of_two_beside});
  EXPECT_EQ(got.error,
            "spec.leaderWorkerTemplate.subGroupPolicy: excludes a leader that asks for TPUs: "
            "LeaderWorkerSet's webhook refuses its Pod");
}

TEST(Subgroups, of_a_topology_have_affinity_each) {
  const Expansion got =
      group_with({of_two,
                  {"/metadata/annotations",
                   "{leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: pool}"}});
  for (const Json& pod : got.pods) {
    const Json& terms = pod["spec"]["affinity"]["podAntiAffinity"]
                           ["requiredDuringSchedulingIgnoredDuringExecution"];
    ASSERT_EQ(terms.size(), 1u);
    EXPECT_EQ(terms[0]["labelSelector"]["matchExpressions"][1]["values"][0],
              pod["metadata"]["labels"][lws_prefix + "subgroup-key"]);
  }
}

TEST(Claims, of_a_group_are_of_its_leader_and_its_workers) {
  const Expansion got = group_with(
      {{"/spec/leaderWorkerTemplate/volumeClaimTemplates", "[{metadata: {name: data}}]"}});
  EXPECT_EQ(got.pods.at(3)["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"],
            "data-m-0-3");
}

}  // namespace
}  // namespace tpuwh::server::expand
