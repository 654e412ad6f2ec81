#include "kubectl/predict/wrappers/disaggregated_set.hpp"

#include "tests/unit/kubectl/predict/wrappers/opened.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace tpuwh::server::wrappers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string role(const std::string& name, const std::string& spec = "") {
  return fmt::format(
      "{{name: {}, spec: {{{}leaderWorkerTemplate: {{size: 2, workerTemplate: {{spec: "
      "{{containers: [{{name: c}}]}}}}}}}}}}",
      name, spec);
}

std::string set(const std::string& roles) {
  return fmt::format(
      "apiVersion: disaggregatedset.x-k8s.io/v1\nkind: DisaggregatedSet\nmetadata: {{name: d}}\n"
      "spec: {{roles: [{}]}}\n",
      roles);
}

// recorded_test.cpp tests the whole objects that are made from the roles.
TEST(ADisaggregatedSet, says_where_each_role_is_written) {
  const Opened all = opened(set(role("prefill") + ", " + role("decode")));
  ASSERT_EQ(all.objects.size(), 2u);
  EXPECT_EQ(all.objects[0].origin->made_up.front().shown, "d-*");
  EXPECT_EQ(all.objects[1].origin->written.front().at, "/spec/roles/1/spec");
}

TEST(RefusedSets, make_nothing) {
  const std::pair<std::string, std::string> cases[] = {
      {role("a"), ": must be 2 to 10 roles, got 1"},
      {role("a", "replicas: 0, ") + ", " + role("b"),
       ": replicas must be 0 for all roles or for none"},
      {role("a") + ", {name: b, spec: {}}", "[1].spec.leaderWorkerTemplate: is missing"},
      {role("a") + ", " + role("B_c"), "[1].name: B_c"},
      {role("a") + ", " +
           role("b", "rolloutStrategy: {rollingUpdateConfiguration: {partition: 1}}, "),
       "[1].spec.rolloutStrategy.rollingUpdateConfiguration.partition"},
  };
  for (const auto& [roles, want] : cases)
    EXPECT_THAT(faults_of(opened(set(roles))), ElementsAre(HasSubstr("refused: spec.roles" + want)))
        << want;
}

}  // namespace
}  // namespace tpuwh::server::wrappers
