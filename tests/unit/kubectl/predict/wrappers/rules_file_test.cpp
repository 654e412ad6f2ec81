#include "kubectl/predict/wrappers/rules_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::wrappers {
namespace {

using testing::Contains;
using testing::IsEmpty;

TEST(ARulesFile, has_a_wrapper_for_each_rule) {
  const RulesFile file = read_rules(
      "wrappers:\n"
      "- apiVersion: ml.example.com/v1\n"
      "  kind: Run\n"
      "  children:\n"
      "  - spec.jobs[*].template\n"
      "- {apiVersion: ml.example.com, kind: Hosts, pods: [{template: spec.template, count: 4, as: "
      "Job}]}\n",
      "r.yaml");
  EXPECT_THAT(file.problems, IsEmpty());
  ASSERT_EQ(file.wrappers.size(), 2u);
  EXPECT_EQ(file.wrappers[0].group, "ml.example.com");
  EXPECT_EQ(file.wrappers[0].children.front().text(), "spec.jobs[*].template");
  EXPECT_EQ(std::get<std::uint64_t>(file.wrappers[1].pods.front().count), 4u);
  EXPECT_TRUE(file.wrappers[1].pods.front().as_job);
}

std::string rule(const std::string& lines) {
  return "wrappers:\n- apiVersion: x.dev/v1\n  kind: Run\n" + lines;
}

TEST(BadRules, are_told_with_their_line) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "r.yaml:1: expected a mapping of wrappers"},
      {"wrappers: []\n", "r.yaml:1: wrappers: expected a list"},
      {"wrappers:\n- apiVersion: x.dev/v1\n  children:\n  - a\n",
       "r.yaml:2: wrappers[0].kind: is missing; expected a kind"},
      {rule("  childen:\n  - a\n"),
       "r.yaml:4: wrappers[0].childen: unknown key; did you mean \"children\"?"},
      {rule(""),
       "r.yaml:2: wrappers[0]: expected either children (whole objects) or pods (Pod templates)"},
      {rule("  children: [a]\n  pods: [{template: b}]\n"),
       "r.yaml:2: wrappers[0]: expected either children (whole objects) or pods (Pod templates)"},
      {rule("  children:\n  - spec.a\n  - $.spec\n"),
       "r.yaml:6: wrappers[0].children[1]: expected a path such as spec.items[*].template, got "
       "\"$.spec\""},
      {rule("  pods:\n  - template: a\n    count: -1\n"),
       "r.yaml:6: wrappers[0].pods[0].count: expected a number of Pods or a path"},
      {rule("  pods:\n  - template: a\n    count: b[*].c\n"),
       "r.yaml:6: wrappers[0].pods[0].count: expected no more [*] than template has"},
      {rule("  pods:\n  - template: a\n    as: JobSet\n"),
       "r.yaml:6: wrappers[0].pods[0].as: expected Pod or Job"},
      {"wrappers:\n- {apiVersion: batch/v1, kind: Job, children: [a]}\n",
       "r.yaml:2: wrappers[0].kind: Job is read without a rule"},
      {rule("  children: [a]\n") + "- {apiVersion: x.dev/v2, kind: Run, children: [b]}\n",
       "r.yaml:5: wrappers[1].kind: Run has a rule above"},
  };
  for (const auto& [text, want] : cases)
    EXPECT_THAT(read_rules(text, "r.yaml").problems, Contains(want)) << text;
}

TEST(ARulesFile, that_is_no_yaml_is_one_problem) {
  const RulesFile file = read_rules("wrappers: [", "r.yaml");
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_TRUE(file.problems.front().starts_with("r.yaml:")) << file.problems.front();
  EXPECT_THAT(file.wrappers, IsEmpty());
}

}  // namespace
}  // namespace tpuwh::server::wrappers
