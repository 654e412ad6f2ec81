#include "kubectl/predict/wrappers/runtime_patches.hpp"

#include "kubectl/predict/expand/reading.hpp"
#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::wrappers {
namespace {

using test::case_name;
using test::PrintTo;

// As StrategicMergePatch of k8s.io/apimachinery v0.36.3 merges them.
struct Merge {
  std::string name, value, patch, want;
};

class Merges : public testing::TestWithParam<Merge> {};

TEST_P(Merges, are_those_of_kubernetes) {
  Json value = Json::parse(GetParam().value);
  merge_strategically(value, Json::parse(GetParam().patch));
  EXPECT_EQ(value, Json::parse(GetParam().want)) << value;
}

INSTANTIATE_TEST_SUITE_P(
    Fields, Merges,
    testing::Values(
        Merge{"a_map_grows", R"({"nodeSelector": {"a": "1"}})", R"({"nodeSelector": {"b": "2"}})",
              R"({"nodeSelector": {"a": "1", "b": "2"}})"},
        Merge{"a_value_is_replaced", R"({"nodeSelector": {"a": "1"}})",
              R"({"nodeSelector": {"a": "2"}})", R"({"nodeSelector": {"a": "2"}})"},
        Merge{"tolerations_are_one_value", R"({"tolerations": [{"key": "a"}]})",
              R"({"tolerations": [{"key": "b"}]})", R"({"tolerations": [{"key": "b"}]})"},
        Merge{"containers_by_name",
              R"({"containers": [{"name": "a", "image": "x"}, {"name": "b"}]})",
              R"({"containers": [{"name": "b", "env": [{"name": "E", "value": "1"}]}]})",
              R"({"containers": [{"name": "a", "image": "x"},
                                 {"name": "b", "env": [{"name": "E", "value": "1"}]}]})"},
        Merge{"a_new_one_goes_before", R"({"env": [{"name": "A"}, {"name": "B"}]})",
              R"({"env": [{"name": "C"}]})",
              R"({"env": [{"name": "C"}, {"name": "A"}, {"name": "B"}]})"},
        Merge{"a_new_one_follows_the_one_that_it_stands_behind",
              R"({"env": [{"name": "A"}, {"name": "B"}]})",
              R"({"env": [{"name": "B"}, {"name": "C"}]})",
              R"({"env": [{"name": "A"}, {"name": "B"}, {"name": "C"}]})"},
        Merge{"mounts_by_their_path", R"({"volumeMounts": [{"name": "v", "mountPath": "/a"}]})",
              R"({"volumeMounts": [{"name": "w", "mountPath": "/a"}]})",
              R"({"volumeMounts": [{"name": "w", "mountPath": "/a"}]})"}),
    case_name);

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

struct BadPatch {
  std::string name, job, pod_spec, want;
};

class BadPatches : public testing::TestWithParam<BadPatch> {};

TEST_P(BadPatches, are_refused_as_trainer_refuses_them) {
  Json value = jobset_template();
  const std::string error = patched(GetParam().job, GetParam().pod_spec, value);
  EXPECT_TRUE(error.starts_with("spec.runtimePatches[0]")) << error;
  EXPECT_NE(error.find(GetParam().want), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(
    Patches, BadPatches,
    testing::Values(BadPatch{"no_job", "launcher", "{}", "no replicated job launcher"},
                    BadPatch{"no_container", "node", R"({"containers": [{"name": "x"}]})",
                             "no container x"},
                    BadPatch{"env_of_the_trainer", "node",
                             R"({"containers": [{"name": "node", "env": [{"name": "A"}]}]})",
                             "may not set env of container node"},
                    BadPatch{"wrong_type", "node", R"({"containers": {"name": "node"}})",
                             "containers: must be an array of objects"}),
    case_name);

TEST(ARuntimePatch, has_lists_of_128_elements_at_most) {
  Json value = jobset_template();
  std::string gates = "[";
  for (int i = 0; i < 129; ++i) gates += (i == 0 ? "{}" : ",{}");
  EXPECT_NE(patched("node", R"({"schedulingGates": )" + gates + "]}", value).find("129"),
            std::string::npos);
}

}  // namespace
}  // namespace tpuwh::server::wrappers
