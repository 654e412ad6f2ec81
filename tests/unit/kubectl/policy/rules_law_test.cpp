// Which policies are printed of the cluster's rules. What they say of objects, the API server is
// asked in tests/e2e/test_rules.py.
#include "kubectl/policy/rules_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tpuwh::server::policy {
namespace {

using webhook::config::Config;
using webhook::rules::Rule;
using webhook::rules::Rules;

Config with_rules(std::vector<Rule> list) {
  Config config;
  config.rules = std::make_shared<const Rules>(Rules{std::move(list)});
  return config;
}

const std::string& variable(const Policy& policy, std::string_view name) {
  return std::ranges::find(policy.variables, name, &Named::name)->expression;
}

TEST(RulesLaw, HasAPolicyForEachKindWhereThereAreRules) {
  EXPECT_TRUE(rules_law(Config(), Action::deny).empty());
  std::vector<std::string> names;
  for (const Policy& each : rules_law(with_rules({{.name = "a"}}), Action::deny))
    names.push_back(each.name);
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "tpu-rules-cronjobs", "tpu-rules-deployments", "tpu-rules-jobs",
                       "tpu-rules-jobsets", "tpu-rules-leaderworkersets", "tpu-rules-rayclusters",
                       "tpu-rules-rayjobs", "tpu-rules-rayservices", "tpu-rules-statefulsets"}));
}

TEST(RulesLaw, FailsClosedWhereItDenies) {
  const Config config = with_rules({{.name = "a"}});
  const auto failure = [&](Action most) {
    return policy_object(rules_law(config, most)[0])["spec"]["failurePolicy"];
  };
  EXPECT_EQ(failure(Action::deny), "Fail");
  EXPECT_EQ(failure(Action::warn), "Ignore");
}

TEST(RulesLaw, QuotesWhatSomebodyWrote) {
  const auto all = rules_law(
      with_rules({{.name = "it's", .namespaces = {"a.b*", "c"}, .accelerators = {"x(\\)y"}}}),
      Action::deny);
  EXPECT_NE(variable(all[0], "rule").find(R"(matches('^(a\\.b.*|c)$') ? 0)"), std::string::npos)
      << variable(all[0], "rule");
  EXPECT_NE(variable(all[0], "rule0").find(R"('^(x\\(\\\\\\)y)$')"), std::string::npos)
      << variable(all[0], "rule0");
  EXPECT_NE(variable(all[0], "name").find(R"('it\'s')"), std::string::npos);
}

// An API server takes no expression of more than 100,000 letters.
TEST(RulesLaw, HasAVariableForEachRule) {
  Rule rule{.name = "a",
            .namespaces = {"*"},
            .accelerators = {"x"},
            .topologies = {"x"},
            .capacities = {webhook::rules::Capacity::spot},
            .slice_chips = 1,
            .slices = 1,
            .chips = 1,
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
  const Config config = with_rules(std::vector<Rule>(100, rule));
  for (const Policy& each : rules_law(config, Action::deny))
    for (const Named& variable : each.variables) EXPECT_LT(variable.expression.size(), 50'000u);
}

}  // namespace
}  // namespace tpuwh::server::policy
