// Which policies are printed of a team's rules. tests/e2e/test_rules.py asks an API server what
// they say of objects.
#include "kubectl/policy/rules_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tpuwh::server::policy {
namespace {

using team_rules::Rule;
using team_rules::Rules;

std::vector<Policy> law(std::vector<Rule> list, Action most = Action::deny) {
  return rules_law(Rules{std::move(list)}, "tpu-webhook.dev/", most);
}

const std::string& variable(const Policy& policy, std::string_view name) {
  return std::ranges::find(policy.variables, name, &Named::name)->expression;
}

TEST(RulesLaw, HasAPolicyForEachKind) {
  std::vector<std::string> names;
  for (const Policy& each : law({{.name = "a"}})) names.push_back(each.name);
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "tpu-rules-cronjobs", "tpu-rules-deployments", "tpu-rules-jobs",
                       "tpu-rules-jobsets", "tpu-rules-leaderworkersets", "tpu-rules-rayclusters",
                       "tpu-rules-rayjobs", "tpu-rules-rayservices", "tpu-rules-statefulsets"}));
}

TEST(RulesLaw, FailsClosedWhereItDenies) {
  const auto failure = [](Action most) {
    return policy_object(law({{.name = "a"}}, most)[0])["spec"]["failurePolicy"];
  };
  EXPECT_EQ(failure(Action::deny), "Fail");
  EXPECT_EQ(failure(Action::warn), "Ignore");
}

// A binding has one action, so what is warned of alone has policies of its own.
TEST(RulesLaw, WarnsByPoliciesOfTheirOwn) {
  const auto warned = [](Rule rule, Action most = Action::deny) {
    std::vector<std::string> names;
    for (const Policy& each : law({std::move(rule)}, most))
      if (each.name.ends_with("-warn")) {
        names.push_back(each.name);
        EXPECT_EQ(each.action, std::min(most, Action::warn));
        EXPECT_EQ(policy_object(each)["spec"]["failurePolicy"], "Ignore");
      }
    return names;
  };
  EXPECT_TRUE(warned({.name = "a", .chips = 4}).empty());
  EXPECT_EQ(warned({.name = "a", .object_names = "tpu-*"}).size(), 9u);
  EXPECT_EQ(warned({.name = "a", .resumable = true}, Action::audit).size(), 9u);
  // Servers do not end.
  const auto ending = warned({.name = "a", .run_seconds = 60});
  EXPECT_EQ(ending.size(), 5u);
  EXPECT_EQ(std::ranges::count(ending, "tpu-rules-deployments-warn"), 0);
}

TEST(RulesLaw, QuotesWhatSomebodyWrote) {
  const auto all = law({{.name = "it's", .namespaces = {"a.b*", "c"}, .accelerators = {"x(\\)y"}}});
  EXPECT_NE(variable(all[0], "rule").find(R"(matches('^(a\\.b.*|c)$') ? 0)"), std::string::npos)
      << variable(all[0], "rule");
  EXPECT_NE(variable(all[0], "rule0").find(R"('^(x\\(\\\\\\)y)$')"), std::string::npos)
      << variable(all[0], "rule0");
  EXPECT_NE(variable(all[0], "name").find(R"('it\'s')"), std::string::npos);
}

// An API server refuses expressions of more than 100,000 characters.
TEST(RulesLaw, HasAVariableForEachRule) {
  Rule rule{.name = "a",
            .namespaces = {"*"},
            .accelerators = {"x"},
            .topologies = {"x"},
            .capacities = {team_rules::Capacity::spot},
            .slice_chips = 1,
            .slices = 1,
            .chips = 1,
            .object_names = "x",
            .resumable = true,
            .run_seconds = 1,
            .hygiene = {.labels = {{"team", {"x"}}},
                        .queue = true,
                        .images = {"x"},
                        .digests = true,
                        .tags = true,
                        .privileged = false,
                        .host_paths = false,
                        .host_network = false,
                        .default_account = false,
                        .secret_variables = {"x"}}};
  for (const Policy& each : law(std::vector<Rule>(100, rule)))
    for (const Named& variable : each.variables) EXPECT_LT(variable.expression.size(), 50'000u);
}

}  // namespace
}  // namespace tpuwh::server::policy
