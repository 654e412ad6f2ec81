#include "kubectl/reference/fields/unseen.hpp"

#include "kubectl/reference/fields/table.hpp"
#include "kubectl/text/yaml.hpp"
#include "tests/support/named_case.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace tpuwh::server::fields {
namespace {

using test::PrintTo;
using testing::ElementsAreArray;

std::vector<std::string> unseen(const std::string& yaml) {
  std::vector<std::string> out;
  UnseenFields unseen;
  unseen.add(text::parse_yaml(yaml).value().front());
  for (const Unseen& each : unseen.list()) out.push_back(each.words());
  return out;
}

struct Set {
  const char* name;
  const char* yaml;
  std::vector<std::string> want = {};
};

class WhatNobodyLooksAt : public testing::TestWithParam<Set> {};

TEST_P(WhatNobodyLooksAt, is_listed_once_where_it_is_set) {
  EXPECT_THAT(unseen(GetParam().yaml), ElementsAreArray(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    Manifests, WhatNobodyLooksAt,
    testing::Values(
        Set{"nothing_of_what_is_read", "{kind: Pod, metadata: {name: a}, spec: {nodeName: b}}"},
        Set{"nothing_of_what_runs",
            "{kind: Pod, spec: {volumes: [{name: v, fieldOfTomorrow: 1}], containers: [{image: a, "
            "command: [b], livenessProbe: {exec: {}}}]}}"},
        Set{"nothing_below_what_cannot_matter",
            "{kind: JobSet, spec: {failurePolicy: {rules: [{fieldOfTomorrow: 1}]}}}"},
        Set{"a_row_that_says_so",
            "{kind: Pod, spec: {preemptionPolicy: Never}}",
            {"Pod: spec.preemptionPolicy"}},
        Set{"what_is_in_no_row",
            "{kind: Pod, spec: {fieldOfTomorrow: {a: {b: 1}}}}",
            {"Pod: spec.fieldOfTomorrow"}},
        Set{"what_is_in_no_row_at_the_top", "{kind: Job, data: {a: b}}", {"Job: data"}},
        Set{"the_field_and_not_its_parent",
            "{kind: Pod, spec: {affinity: {podAffinity: "
            "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: a}]}}}}",
            {"Pod: spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution"}},
        Set{"of_containers_the_field_with_a_number",
            "{kind: Pod, spec: {containers: [{tomorrow: 1}, {tomorrow: 2}]}}",
            {"Pod: spec.containers[*].tomorrow (2 times)"}},
        Set{"of_a_template_as_of_a_pod",
            "{kind: CronJob, spec: {jobTemplate: {spec: {template: {spec: {preemptionPolicy: "
            "Never}}}}}}",
            {"Pod: spec.preemptionPolicy"}},
        Set{"of_the_jobs_of_a_jobset_as_of_a_job",
            "{kind: JobSet, spec: {replicatedJobs: [{template: {spec: {tomorrow: 1}}}]}}",
            {"Job: spec.tomorrow"}},
        Set{"of_the_cluster_of_a_rayjob_as_of_a_raycluster",
            "{kind: RayJob, spec: {rayClusterSpec: {gcsFaultToleranceOptions: {redisAddress: a}, "
            "workerGroupSpecs: [{template: {spec: {tomorrow: 1}}}]}}}",
            {"Pod: spec.tomorrow", "RayCluster: spec.gcsFaultToleranceOptions"}},
        Set{"nothing_of_what_is_empty",
            "{kind: Pod, spec: {preemptionPolicy: null, tomorrow: {}, other: []}}"},
        Set{"nothing_of_a_kind_without_rows", "{kind: ConfigMap, data: {a: b}}"},
        Set{"nothing_of_a_type_that_is_no_kind", "{kind: PodSpec, tomorrow: 1}"},
        Set{"in_the_order_of_kinds_and_paths",
            "{kind: RayCluster, spec: {z: 1, a: 1, headGroupSpec: {template: {spec: {b: 1}}}}}",
            {"Pod: spec.b", "RayCluster: spec.a", "RayCluster: spec.z"}}),
    test::case_name);

// A path that goes through a row would be looked for and never found.
TEST(TheTable, has_no_row_below_another_and_none_twice) {
  for (const Type& type : types()) {
    std::set<std::string_view> paths;
    for (const Row& row : type.rows) {
      EXPECT_TRUE(paths.insert(row.path).second) << type.name << ": " << row.path;
      for (const Row& other : type.rows)
        EXPECT_FALSE(row.path.starts_with(fmt::format("{}.", other.path)))
            << type.name << ": " << row.path << " below " << other.path;
    }
  }
}

TEST(TheTable, knows_each_type_that_a_row_names) {
  for (const Type& type : types())
    for (const Row& row : type.rows)
      EXPECT_EQ(row.look == Look::inside, find_type(row.type) != nullptr)
          << type.name << ": " << row.path;
}

}  // namespace
}  // namespace tpuwh::server::fields
