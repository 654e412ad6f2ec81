#include "kubectl/predict/wrappers/rules_file.hpp"

#include "tests/support/named_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::wrappers {
namespace {

using test::case_name;
using test::PrintTo;
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

struct BadRule {
  std::string name, text, want;
};

class BadRules : public testing::TestWithParam<BadRule> {};

TEST_P(BadRules, are_told_with_their_line) {
  EXPECT_THAT(read_rules(GetParam().text, "r.yaml").problems, Contains(GetParam().want));
}

std::string rule(const std::string& lines) {
  return "wrappers:\n- apiVersion: x.dev/v1\n  kind: Run\n" + lines;
}

INSTANTIATE_TEST_SUITE_P(
    Texts, BadRules,
    testing::Values(
        BadRule{"empty", "", "r.yaml:1: expected a mapping of wrappers"},
        BadRule{"no_rules", "wrappers: []\n", "r.yaml:1: wrappers: expected a list"},
        BadRule{"no_kind", "wrappers:\n- apiVersion: x.dev/v1\n  children:\n  - a\n",
                "r.yaml:2: wrappers[0].kind: is missing; expected a kind"},
        BadRule{"a_key", rule("  childen:\n  - a\n"),
                "r.yaml:4: wrappers[0].childen: unknown key; did you mean \"children\"?"},
        BadRule{"neither", rule(""),
                "r.yaml:2: wrappers[0]: expected either children (whole objects) or pods (Pod "
                "templates)"},
        BadRule{"both", rule("  children: [a]\n  pods: [{template: b}]\n"),
                "r.yaml:2: wrappers[0]: expected either children (whole objects) or pods (Pod "
                "templates)"},
        BadRule{
            "no_path", rule("  children:\n  - spec.a\n  - $.spec\n"),
            "r.yaml:6: wrappers[0].children[1]: expected a path such as spec.items[*].template, "
            "got "
            "\"$.spec\""},
        BadRule{"a_count", rule("  pods:\n  - template: a\n    count: -1\n"),
                "r.yaml:6: wrappers[0].pods[0].count: expected a number of Pods or a path"},
        BadRule{"a_count_of_more", rule("  pods:\n  - template: a\n    count: b[*].c\n"),
                "r.yaml:6: wrappers[0].pods[0].count: expected no more [*] than template has"},
        BadRule{"as_what", rule("  pods:\n  - template: a\n    as: JobSet\n"),
                "r.yaml:6: wrappers[0].pods[0].as: expected Pod or Job"},
        BadRule{"a_kind_that_is_read",
                "wrappers:\n- {apiVersion: batch/v1, kind: Job, children: [a]}\n",
                "r.yaml:2: wrappers[0].kind: Job is read without a rule"},
        BadRule{"twice",
                rule("  children: [a]\n") + "- {apiVersion: x.dev/v2, kind: Run, children: [b]}\n",
                "r.yaml:5: wrappers[1].kind: Run has a rule above"}),
    case_name);

TEST(ARulesFile, that_is_no_yaml_is_one_problem) {
  const RulesFile file = read_rules("wrappers: [", "r.yaml");
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_TRUE(file.problems.front().starts_with("r.yaml:")) << file.problems.front();
  EXPECT_THAT(file.wrappers, IsEmpty());
}

}  // namespace
}  // namespace tpuwh::server::wrappers
