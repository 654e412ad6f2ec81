#include "kubectl/predict/expand/expand.hpp"
#include "tests/unit/kubectl/predict/expand/expanded.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <regex>

namespace tpuwh::server::expand {
namespace {

constexpr std::uint64_t all_there_is = std::numeric_limits<std::uint64_t>::max();

TEST(AKind, makes_pods_or_not) {
  const struct {
    bool makes;
    const char* api_version;
    std::vector<const char*> kinds;
  } cases[] = {
      {true, "v1", {"Pod"}},
      {true, "batch/v1", {"Job", "CronJob"}},
      {true, "jobset.x-k8s.io/v1alpha2", {"JobSet"}},
      {true, "ray.io/v1", {"RayCluster", "RayJob", "RayService"}},
      {true, "ray.io/v1alpha1", {"RayCluster"}},
      {true, "leaderworkerset.x-k8s.io/v1", {"LeaderWorkerSet"}},
      {true, "apps/v1", {"StatefulSet", "Deployment", "ReplicaSet"}},
      {false, "apps/v1", {"DaemonSet"}},
      {false, "v1", {"Service", "List"}},
      {false, "example.com/v1", {"Job"}},
      {false, "", {"Pod"}},
  };
  for (const auto& [makes, version, kinds] : cases)
    for (const char* kind : kinds)
      EXPECT_EQ(makes_pods(Json{{"apiVersion", version}, {"kind", kind}}), makes) << kind;
}

TEST(WhatIsNoObject, makes_no_pods) {
  for (const char* text :
       {"null", "[]", "7", "\"Pod\"", "{}", R"({"kind": 7, "apiVersion": {}})"}) {
    const Json value = Json::parse(text);
    EXPECT_FALSE(makes_pods(value)) << text;
    EXPECT_EQ(pod_count(value), 0u) << text;
    EXPECT_EQ(expansion_of(value).error, "kind: makes no Pods") << text;
  }
}

#define JOB "{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: "
#define LWS \
  "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: a}, spec: "
#define JOBSET "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a}, spec: "
#define RAY "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: a}, spec: "
#define POD "{spec: {containers: [{name: c}]}}"

TEST(AFault, is_said_with_its_place_before_the_first_pod) {
  const std::pair<const char*, const char*> cases[] = {
      {"{apiVersion: v1, kind: Pod}", "metadata.name: is missing"},
      {"{apiVersion: v1, kind: Pod, metadata: {name: 7}}", "metadata.name: must be a string"},
      {"{apiVersion: batch/v1, kind: Job, metadata: {name: a}}", "spec: is missing"},
      {JOB "[]}", "spec: must be an object"},
      {JOB "{}}", "spec.template: is missing"},
      {JOB "{template: null}}", "spec.template: is missing"},
      {JOB "{template: {}}}", "spec.template.spec: is missing"},
      {JOB "{template: {spec: {}}}}", "spec.template.spec.containers: is missing"},
      {JOB "{template: {spec: {containers: []}}}}",
       "spec.template.spec.containers: has no container"},
      {JOB "{template: {spec: {containers: [c]}}}}",
       "spec.template.spec.containers: must be an array of objects"},
      {JOB "{template: {spec: {containers: [{env: {}}]}}}}",
       "spec.template.spec.containers[0].env: must be an array of objects"},
      {JOB "{template: {metadata: {labels: {a: 1}}, spec: {containers: [{}]}}}}",
       "spec.template.metadata.labels: must be an object of strings"},
      {JOB "{parallelism: -2, template: " POD "}}", "spec.parallelism: is negative: -2"},
      {JOB "{completions: 2147483648, template: " POD "}}",
       "spec.completions: is above 2147483647: 2147483648"},
      {JOB "{completions: '2', template: " POD "}}", "spec.completions: must be an integer"},
      {JOBSET "{}}", "spec.replicatedJobs: is missing"},
      {JOBSET "{replicatedJobs: [{name: a, template: {spec: {template: " POD
              "}}}, {name: b, template: {spec: {}}}]}}",
       "spec.replicatedJobs[1].template.spec.template: is missing"},
      {JOBSET "{replicatedJobs: [{}]}}", "spec.replicatedJobs[0].name: is missing"},
      {RAY "{}}", "spec.headGroupSpec: is missing"},
      {RAY "{headGroupSpec: {template: " POD "}, workerGroupSpecs: [{}]}}",
       "spec.workerGroupSpecs[0].groupName: is missing"},
      {"{apiVersion: ray.io/v1, kind: RayJob, metadata: {name: a}, spec: {}}",
       "spec.rayClusterSpec: is missing"},
      {LWS "{leaderWorkerTemplate: {size: 2}}}",
       "spec.leaderWorkerTemplate.workerTemplate: is missing"},
      {LWS "{leaderWorkerTemplate: {subGroupPolicy: {}, workerTemplate: " POD "}}}",
       "spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize: is missing"},
      {LWS "{leaderWorkerTemplate: {size: 0, workerTemplate: " POD "}}}",
       "spec.leaderWorkerTemplate.size: is 0"},
      {"{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {volumeClaimTemplates: "
       "[{}], template: " POD "}}",
       "spec.volumeClaimTemplates[0].metadata.name: is missing"},
  };
  for (const auto& [yaml, error] : cases) {
    SCOPED_TRACE(yaml);
    const Expansion got = expand_yaml(yaml);
    EXPECT_EQ(got.error, error);
    EXPECT_TRUE(got.pods.empty());
  }
}

TEST(ACount, needs_no_pod) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {JOB "{}}", 1},
      {JOB "{parallelism: 3}}", 3},
      {JOB "{parallelism: 3, completions: 2}}", 2},
      {JOB "{parallelism: 3, completions: 9}}", 3},
      {JOB "{parallelism: 3, completions: 9, completionMode: Indexed}}", 9},
      {JOB "{parallelism: 0, completions: 9, completionMode: Indexed}}", 0},
      {JOB "{suspend: true, parallelism: 3}}", 3},
      {JOB "{parallelism: -3}}", 0},
      {JOB "{parallelism: 18446744073709551615}}", all_there_is},
      {JOB "{parallelism: [3]}}", 1},
      {JOBSET "{replicatedJobs: [{replicas: 2, template: {spec: {parallelism: 4}}}, {}]}}", 9},
      {JOBSET "{replicatedJobs: [{replicas: 9223372036854775807, template: {spec: {parallelism: "
              "9223372036854775807}}}, {}]}}",
       all_there_is},
      {RAY "{workerGroupSpecs: [{replicas: 2, numOfHosts: 4}, {minReplicas: 3}]}}", 12},
      {RAY "{workerGroupSpecs: [{replicas: 9, maxReplicas: 2}, {replicas: 1, minReplicas: 3, "
           "maxReplicas: 2}]}}",
       5},
      {RAY "{workerGroupSpecs: [{replicas: 2, minReplicas: 1, suspend: true}]}}", 1},
      {LWS "{replicas: 3, leaderWorkerTemplate: {size: 4}}}", 12},
      {LWS "{}}", 1},
      {"{apiVersion: v1, kind: Service}", 0},
  };
  for (const auto& [yaml, want] : cases) EXPECT_EQ(pod_count(object_of(yaml)), want) << yaml;
}

TEST(ManyPods, end_when_nobody_wants_more) {
  const Json job =
      object_of(JOB "{parallelism: 2147483647, completionMode: Indexed, template: " POD "}}");
  EXPECT_EQ(pod_count(job), 2147483647u);
  EXPECT_EQ(expansion_of(job, {}, 3).pods.size(), 3u);
}

TEST(ALargeGroup, is_refused_where_its_list_of_names_is_larger_than_an_object) {
  const Json lws =
      object_of(LWS
                "{leaderWorkerTemplate: {size: 2147483647, workerTemplate: {spec: {containers: "
                "[{name: c, resources: {limits: {google.com/tpu: 4}}}]}}}}}");
  EXPECT_EQ(expansion_of(lws, {}, 3).error,
            "spec.leaderWorkerTemplate.size: makes a list of host names that would exceed the API "
            "server's object size limit");
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
      "{apiVersion: batch/v1, kind: Job, metadata: {generateName: run-}, spec: {template: " POD
      "}}");
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
