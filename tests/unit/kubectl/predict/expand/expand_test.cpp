#include "kubectl/predict/expand/expand.hpp"
#include "tests/support/named_case.hpp"
#include "tests/unit/kubectl/predict/expand/expanded.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <regex>

namespace tpuwh::server::expand {
namespace {

using test::case_name;
using test::PrintTo;

constexpr std::uint64_t all_there_is = std::numeric_limits<std::uint64_t>::max();

struct KindCase {
  const char* name;
  const char* api_version;
  const char* kind;
  bool makes;
};
class AKind : public testing::TestWithParam<KindCase> {};

TEST_P(AKind, makes_pods_or_not) {
  const Json object = {{"apiVersion", GetParam().api_version}, {"kind", GetParam().kind}};
  EXPECT_EQ(makes_pods(object), GetParam().makes);
}

INSTANTIATE_TEST_SUITE_P(
    table, AKind,
    testing::Values(KindCase{"pod", "v1", "Pod", true}, KindCase{"job", "batch/v1", "Job", true},
                    KindCase{"cron_job", "batch/v1", "CronJob", true},
                    KindCase{"jobset", "jobset.x-k8s.io/v1alpha2", "JobSet", true},
                    KindCase{"ray_cluster", "ray.io/v1", "RayCluster", true},
                    KindCase{"ray_of_another_version", "ray.io/v1alpha1", "RayCluster", true},
                    KindCase{"ray_job", "ray.io/v1", "RayJob", true},
                    KindCase{"ray_service", "ray.io/v1", "RayService", true},
                    KindCase{"lws", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", true},
                    KindCase{"stateful_set", "apps/v1", "StatefulSet", true},
                    KindCase{"deployment", "apps/v1", "Deployment", true},
                    KindCase{"replica_set", "apps/v1", "ReplicaSet", true},
                    KindCase{"daemon_set", "apps/v1", "DaemonSet", false},
                    KindCase{"service", "v1", "Service", false},
                    KindCase{"list", "v1", "List", false},
                    KindCase{"another_group", "example.com/v1", "Job", false},
                    KindCase{"no_version", "", "Pod", false}),
    case_name);

TEST(WhatIsNoObject, makes_no_pods) {
  for (const char* text :
       {"null", "[]", "7", "\"Pod\"", "{}", R"({"kind": 7, "apiVersion": {}})"}) {
    const Json value = Json::parse(text);
    EXPECT_FALSE(makes_pods(value)) << text;
    EXPECT_EQ(pod_count(value), 0u) << text;
    EXPECT_EQ(expansion_of(value).error, "kind: makes no Pods") << text;
  }
}

struct FaultCase {
  const char* name;
  const char* yaml;
  const char* error;
};
class AFault : public testing::TestWithParam<FaultCase> {};

TEST_P(AFault, is_said_with_its_place_before_the_first_pod) {
  const Expansion got = expand_yaml(GetParam().yaml);
  EXPECT_EQ(got.error, GetParam().error);
  EXPECT_TRUE(got.pods.empty());
}

#define JOB "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: "
#define LWS \
  "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: a}, spec: "
#define JOBSET "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a}, spec: "
#define RAY "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: a}, spec: "
#define POD "{spec: {containers: [{name: c}]}}"

INSTANTIATE_TEST_SUITE_P(
    table, AFault,
    testing::Values(
        FaultCase{"no_name", "{apiVersion: v1, kind: Pod}", "metadata.name: is missing"},
        FaultCase{"name_of_a_number", "{apiVersion: v1, kind: Pod, metadata: {name: 7}}",
                  "metadata.name: must be a string"},
        FaultCase{"no_spec", "{apiVersion: batch/v1, kind: Job, metadata: {name: a}}",
                  "spec: is missing"},
        FaultCase{"spec_of_a_list", JOB "[]}", "spec: must be an object"},
        FaultCase{"no_template", JOB "{}}", "spec.template: is missing"},
        FaultCase{"null_template", JOB "{template: null}}", "spec.template: is missing"},
        FaultCase{"no_pod_spec", JOB "{template: {}}}", "spec.template.spec: is missing"},
        FaultCase{"no_containers", JOB "{template: {spec: {}}}}",
                  "spec.template.spec.containers: is missing"},
        FaultCase{"no_container", JOB "{template: {spec: {containers: []}}}}",
                  "spec.template.spec.containers: has no container"},
        FaultCase{"container_of_a_text", JOB "{template: {spec: {containers: [c]}}}}",
                  "spec.template.spec.containers: must be an array of objects"},
        FaultCase{"env_of_an_object", JOB "{template: {spec: {containers: [{env: {}}]}}}}",
                  "spec.template.spec.containers[0].env: must be an array of objects"},
        FaultCase{"label_of_a_number",
                  JOB "{template: {metadata: {labels: {a: 1}}, spec: {containers: [{}]}}}}",
                  "spec.template.metadata.labels: must be an object of strings"},
        FaultCase{"negative", JOB "{parallelism: -2, template: " POD "}}",
                  "spec.parallelism: is negative: -2"},
        FaultCase{"no_int32", JOB "{completions: 2147483648, template: " POD "}}",
                  "spec.completions: is above 2147483647: 2147483648"},
        FaultCase{"number_in_quotes", JOB "{completions: '2', template: " POD "}}",
                  "spec.completions: must be an integer"},
        FaultCase{"no_replicated_jobs", JOBSET "{}}", "spec.replicatedJobs: is missing"},
        FaultCase{"second_replicated_job",
                  JOBSET "{replicatedJobs: [{name: a, template: {spec: {template: " POD
                         "}}}, {name: b, template: {spec: {}}}]}}",
                  "spec.replicatedJobs[1].template.spec.template: is missing"},
        FaultCase{"nameless_replicated_job", JOBSET "{replicatedJobs: [{}]}}",
                  "spec.replicatedJobs[0].name: is missing"},
        FaultCase{"no_head", RAY "{}}", "spec.headGroupSpec: is missing"},
        FaultCase{"nameless_group",
                  RAY "{headGroupSpec: {template: " POD "}, workerGroupSpecs: [{}]}}",
                  "spec.workerGroupSpecs[0].groupName: is missing"},
        FaultCase{"no_cluster_of_a_ray_job",
                  "{apiVersion: ray.io/v1, kind: RayJob, metadata: {name: a}, spec: {}}",
                  "spec.rayClusterSpec: is missing"},
        FaultCase{"no_worker_template", LWS "{leaderWorkerTemplate: {size: 2}}}",
                  "spec.leaderWorkerTemplate.workerTemplate: is missing"},
        FaultCase{"no_size_of_subgroups",
                  LWS "{leaderWorkerTemplate: {subGroupPolicy: {}, workerTemplate: " POD "}}}",
                  "spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize: is missing"},
        FaultCase{"size_0", LWS "{leaderWorkerTemplate: {size: 0, workerTemplate: " POD "}}}",
                  "spec.leaderWorkerTemplate.size: is 0"},
        FaultCase{"nameless_claim",
                  "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: "
                  "{volumeClaimTemplates: [{}], template: " POD "}}",
                  "spec.volumeClaimTemplates[0].metadata.name: is missing"}),
    case_name);

struct CountCase {
  const char* name;
  const char* yaml;
  std::uint64_t want;
};
class ACount : public testing::TestWithParam<CountCase> {};

TEST_P(ACount, needs_no_pod) {
  EXPECT_EQ(pod_count(object_of(GetParam().yaml)), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    table, ACount,
    testing::Values(
        CountCase{"job", JOB "{}}", 1}, CountCase{"parallelism", JOB "{parallelism: 3}}", 3},
        CountCase{"fewer_completions", JOB "{parallelism: 3, completions: 2}}", 2},
        CountCase{"at_a_time", JOB "{parallelism: 3, completions: 9}}", 3},
        CountCase{"indexed", JOB "{parallelism: 3, completions: 9, completionMode: Indexed}}", 9},
        CountCase{"paused", JOB "{parallelism: 0, completions: 9, completionMode: Indexed}}", 0},
        CountCase{"suspended", JOB "{suspend: true, parallelism: 3}}", 3},
        CountCase{"negative", JOB "{parallelism: -3}}", 0},
        CountCase{"largest", JOB "{parallelism: 18446744073709551615}}", all_there_is},
        CountCase{"of_another_type", JOB "{parallelism: [3]}}", 1},
        CountCase{"jobset",
                  JOBSET "{replicatedJobs: [{replicas: 2, template: {spec: {parallelism: "
                         "4}}}, {}]}}",
                  9},
        CountCase{"product_beyond",
                  JOBSET "{replicatedJobs: [{replicas: 9223372036854775807, template: {spec: "
                         "{parallelism: 9223372036854775807}}}, {}]}}",
                  all_there_is},
        CountCase{"ray",
                  RAY "{workerGroupSpecs: [{replicas: 2, numOfHosts: 4}, {minReplicas: 3}]}}", 12},
        CountCase{"ray_bounds",
                  RAY "{workerGroupSpecs: [{replicas: 9, maxReplicas: 2}, {replicas: 1, "
                      "minReplicas: 3, maxReplicas: 2}]}}",
                  5},
        CountCase{"ray_suspended_group",
                  RAY "{workerGroupSpecs: [{replicas: 2, minReplicas: 1, suspend: true}]}}", 1},
        CountCase{"lws", LWS "{replicas: 3, leaderWorkerTemplate: {size: 4}}}", 12},
        CountCase{"lws_defaults", LWS "{}}", 1},
        CountCase{"none", "{apiVersion: v1, kind: Service}", 0}),
    case_name);

TEST(ManyPods, end_when_nobody_wants_more) {
  const Json job =
      object_of(JOB "{parallelism: 2147483647, completionMode: Indexed, template: " POD "}}");
  EXPECT_EQ(pod_count(job), 2147483647u);
  EXPECT_EQ(expansion_of(job, {}, 3).pods.size(), 3u);
}

TEST(ALargeGroup, is_refused_where_its_list_of_names_is_larger_than_an_object) {
  const Json lws = object_of(
      LWS
      "{leaderWorkerTemplate: {size: 2147483647, workerTemplate: {spec: {containers: [{name: "
      "c, resources: {limits: {google.com/tpu: 4}}}]}}}}}");
  EXPECT_EQ(expansion_of(lws, {}, 3).error,
            "spec.leaderWorkerTemplate.size: makes a list of host names that would exceed the API "
            "server's object size "
            "limit");
}

TEST(ANamespace, is_the_objects_or_the_callers) {
  const Json job = object_of(JOB "{template: " POD "}}");
  EXPECT_EQ(expansion_of(job).pods.at(0)["metadata"]["namespace"], "default");
  EXPECT_EQ(expansion_of(job, {.ns = "team"}).pods.at(0)["metadata"]["namespace"], "team");
  Json named = job;
  named["metadata"]["namespace"] = "own";
  EXPECT_EQ(expansion_of(named, {.ns = "team"}).pods.at(0)["metadata"]["namespace"], "own");
}

TEST(APod, is_sent_as_it_is_written) {
  const Expansion got = expand_yaml(
      "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {x: z}, creationTimestamp: null}, "
      "spec: {containers: [{name: c}]}, status: {}}");
  ASSERT_EQ(got.pods.size(), 1u) << got.error;
  EXPECT_EQ(got.pods[0].dump(),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"x":"z"},)"
            R"("namespace":"default"},"spec":{"containers":[{"name":"c"}]}})");
}

TEST(APlaceholder, has_the_form_of_the_real_one_and_is_always_the_same) {
  const std::string yaml =
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: " POD "}}";
  const Expansion got = expand_yaml(yaml);
  ASSERT_EQ(got.pods.size(), 1u) << got.error;
  const Json& metadata = got.pods[0]["metadata"];
  const std::string uid = metadata["ownerReferences"][0]["uid"];
  EXPECT_TRUE(std::regex_match(uid, std::regex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")));
  const std::string hash = metadata["labels"]["pod-template-hash"];
  EXPECT_TRUE(std::regex_match(hash, std::regex("[bcdfghjklmnpqrstvwxz2-9]{10}")));
  EXPECT_EQ(metadata["generateName"], "a-" + hash + '-');
  EXPECT_EQ(expand_yaml(yaml).pods, got.pods);
  EXPECT_NE(expansion_of(object_of(yaml), {.ns = "b"}).pods.at(0)["metadata"]["ownerReferences"],
            metadata["ownerReferences"]);
}

TEST(AGeneratedName, ends_in_a_placeholder) {
  const Expansion got = expand_yaml(
      "{apiVersion: batch/v1, kind: Job, metadata: {generateName: run-}, spec: "
      "{template: " POD "}}");
  ASSERT_EQ(got.pods.size(), 1u) << got.error;
  const std::string name = got.pods[0]["metadata"]["generateName"];
  EXPECT_TRUE(std::regex_match(name, std::regex("run-[bcdfghjklmnpqrstvwxz2-9]{5}-"))) << name;
}

#undef JOB
#undef LWS
#undef JOBSET
#undef RAY
#undef POD

}  // namespace
}  // namespace tpuwh::server::expand
