#include "kubectl/predict/wrappers/runtime_patches.hpp"

#include "kubectl/predict/expand/reading.hpp"
#include "tests/support/yaml.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::wrappers {
namespace {

// As StrategicMergePatch of k8s.io/apimachinery v0.36.3 merges them.
TEST(Merges, are_those_of_kubernetes) {
  const struct {
    const char *value, *patch, *want;
  } cases[] = {
      {"{nodeSelector: {a: 1}}", "{nodeSelector: {b: 2}}", "{nodeSelector: {a: 1, b: 2}}"},
      {"{nodeSelector: {a: 1}}", "{nodeSelector: {a: 2}}", "{nodeSelector: {a: 2}}"},
      {"{tolerations: [{key: a}]}", "{tolerations: [{key: b}]}", "{tolerations: [{key: b}]}"},
      {"{containers: [{name: a, image: x}, {name: b}]}",
       "{containers: [{name: b, env: [{name: E, value: 1}]}]}",
       "{containers: [{name: a, image: x}, {name: b, env: [{name: E, value: 1}]}]}"},
      // An element that the list does not have becomes its first element if it is first in the
      // patch, too. Otherwise the new element is inserted after its predecessor in the patch.
      {"{env: [{name: A}, {name: B}]}", "{env: [{name: C}]}",
       "{env: [{name: C}, {name: A}, {name: B}]}"},
      {"{env: [{name: A}, {name: B}]}", "{env: [{name: B}, {name: C}]}",
       "{env: [{name: A}, {name: B}, {name: C}]}"},
      {"{volumeMounts: [{name: v, mountPath: /a}]}", "{volumeMounts: [{name: w, mountPath: /a}]}",
       "{volumeMounts: [{name: w, mountPath: /a}]}"},
  };
  for (const auto& [value, patch, want] : cases) {
    Json merged = test::yaml(value);
    merge_strategically(merged, test::yaml(patch));
    EXPECT_EQ(merged, test::yaml(want)) << merged;
  }
}

Json jobset_template() {
  return Json::parse(R"({"spec": {"replicatedJobs": [{"name": "node", "template": {"spec":
    {"template": {"spec": {"containers": [{"name": "node"}, {"name": "side"}]}}}}}]}})");
}

// Of the Pod template of replicated job `job`.
std::string patched(const std::string& job, const std::string& pod_spec, Json& value) {
  const Json spec = Json::parse(R"({"runtimePatches": [{"manager": "x/y", "trainingRuntimeSpec":
    {"template": {"metadata": {"labels": {"l": "1"}, "name": "n"}, "spec": {"replicatedJobs":
    [{"name": ")" + job + R"(", "template": {"spec": {"parallelism": 9, "template": {"spec": )" +
                                pod_spec + "}}}}]}}}}]}");
  const auto done = merge_runtime_patches(spec, value);
  return done ? "" : done.error().text();
}

TEST(ARuntimePatch, changes_what_it_may_and_nothing_else) {
  Json value = jobset_template();
  EXPECT_EQ(patched("node", R"({"hostNetwork": true, "nodeSelector": {"a": "b"}})", value), "");
  const Json& job = value["spec"]["replicatedJobs"][0]["template"]["spec"];
  EXPECT_FALSE(job.contains("parallelism"));
  EXPECT_FALSE(job["template"]["spec"].contains("hostNetwork"));
  EXPECT_EQ(job["template"]["spec"]["nodeSelector"]["a"], "b");
  EXPECT_EQ(value["metadata"], Json::parse(R"({"labels": {"l": "1"}})"));
}

TEST(BadPatches, are_refused_as_trainer_refuses_them) {
  const struct {
    std::string job, pod_spec, want;
  } cases[] = {
      {"launcher", "{}", "no replicated job launcher"},
      {"node", R"({"containers": [{"name": "x"}]})", "no container x"},
      {"node", R"({"containers": [{"name": "node", "env": [{"name": "A"}]}]})",
       "may not set env of container node"},
      {"node", R"({"containers": {"name": "node"}})", "containers: must be an array of objects"},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.want);
    Json value = jobset_template();
    const std::string error = patched(each.job, each.pod_spec, value);
    EXPECT_TRUE(error.starts_with("spec.runtimePatches[0]")) << error;
    EXPECT_NE(error.find(each.want), std::string::npos) << error;
  }
}

TEST(ARuntimePatch, has_lists_of_128_elements_at_most) {
  Json value = jobset_template();
  std::string gates = "[";
  for (int i = 0; i < 129; ++i) gates += (i == 0 ? "{}" : ",{}");
  EXPECT_NE(patched("node", R"({"schedulingGates": )" + gates + "]}", value).find("129"),
            std::string::npos);
}

}  // namespace
}  // namespace tpuwh::server::wrappers
