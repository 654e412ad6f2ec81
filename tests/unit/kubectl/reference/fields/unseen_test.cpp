#include "kubectl/reference/fields/unseen.hpp"

#include "kubectl/reference/fields/table.hpp"
#include "tests/support/yaml.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace tpuwh::server::fields {
namespace {

// Returns the fields of the object that kubectl-tpu does not read, such as "Pod: spec.a, Job:
// spec.b".
std::string unseen(const std::string& yaml) {
  std::vector<std::string> out;
  UnseenFields unseen;
  unseen.add(test::yaml(yaml));
  for (const Unseen& each : unseen.list()) out.push_back(each.words());
  return fmt::format("{}", fmt::join(out, ", "));
}

TEST(WhatNobodyLooksAt, is_listed_once_where_it_is_set) {
  const std::pair<const char*, const char*> cases[] = {
      // Fields that are read, fields that only say what a container runs, and fields below an
      // unimportant field are not listed.
      {"{kind: Pod, metadata: {name: a}, spec: {nodeName: b}}", ""},
      {"{kind: Pod, spec: {volumes: [{name: v, fieldOfTomorrow: 1}], containers: [{image: a, "
       "command: [b], livenessProbe: {exec: {}}}]}}",
       ""},
      {"{kind: JobSet, spec: {failurePolicy: {rules: [{fieldOfTomorrow: 1}]}}}", ""},
      // A field is listed if its row in the table says so, or if the table has no row for it.
      {"{kind: Pod, spec: {preemptionPolicy: Never}}", "Pod: spec.preemptionPolicy"},
      {"{kind: Pod, spec: {fieldOfTomorrow: {a: {b: 1}}}}", "Pod: spec.fieldOfTomorrow"},
      {"{kind: Job, data: {a: b}}", "Job: data"},
      {"{kind: Pod, spec: {affinity: {podAffinity: "
       "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: a}]}}}}",
       "Pod: spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution"},
      {"{kind: Pod, spec: {containers: [{tomorrow: 1}, {tomorrow: 2}]}}",
       "Pod: spec.containers[*].tomorrow (2 times)"},
      // Fields of a template are listed as fields of the object that is made from the template.
      {"{kind: CronJob, spec: {jobTemplate: {spec: {template: {spec: {preemptionPolicy: "
       "Never}}}}}}",
       "Pod: spec.preemptionPolicy"},
      {"{kind: JobSet, spec: {replicatedJobs: [{template: {spec: {tomorrow: 1}}}]}}",
       "Job: spec.tomorrow"},
      {"{kind: RayJob, spec: {rayClusterSpec: {gcsFaultToleranceOptions: {redisAddress: a}, "
       "workerGroupSpecs: [{template: {spec: {tomorrow: 1}}}]}}}",
       "Pod: spec.tomorrow, RayCluster: spec.gcsFaultToleranceOptions"},
      {"{kind: Pod, spec: {preemptionPolicy: null, tomorrow: {}, other: []}}", ""},
      // Objects of a kind without rows are ignored, and so are objects of a type that is not a
      // kind.
      {"{kind: ConfigMap, data: {a: b}}", ""},
      {"{kind: PodSpec, tomorrow: 1}", ""},
      {"{kind: RayCluster, spec: {z: 1, a: 1, headGroupSpec: {template: {spec: {b: 1}}}}}",
       "Pod: spec.b, RayCluster: spec.a, RayCluster: spec.z"},
  };
  for (const auto& [yaml, want] : cases) EXPECT_EQ(unseen(yaml), want) << yaml;
}

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
