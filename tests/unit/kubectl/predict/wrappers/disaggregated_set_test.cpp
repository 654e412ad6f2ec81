#include "kubectl/predict/wrappers/disaggregated_set.hpp"

#include "tests/support/named_case.hpp"
#include "tests/unit/kubectl/predict/wrappers/opened.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace tpuwh::server::wrappers {
namespace {

using test::case_name;
using test::PrintTo;
using testing::ElementsAre;
using testing::HasSubstr;

std::string role(const std::string& name, const std::string& spec = "") {
  return fmt::format(
      "{{name: {}, spec: {{{}leaderWorkerTemplate: {{size: 2, workerTemplate: {{metadata: "
      "{{labels: "
      "{{own: l}}}}, spec: {{containers: [{{name: c}}]}}}}}}}}}}",
      name, spec);
}

std::string set(const std::string& roles) {
  return fmt::format(
      "apiVersion: disaggregatedset.x-k8s.io/v1\nkind: DisaggregatedSet\nmetadata: {{name: d}}\n"
      "spec: {{roles: [{}]}}\n",
      roles);
}

TEST(ADisaggregatedSet, makes_a_leaderworkerset_of_each_role) {
  const Opened all = opened(set(role("prefill", "replicas: 3, ") + ", " + role("decode")));
  ASSERT_EQ(all.objects.size(), 2u);
  const Json& first = all.objects[0].object;
  const std::string name = first["metadata"]["name"];
  EXPECT_TRUE(name.starts_with("d-") && name.ends_with("-prefill")) << name;
  EXPECT_EQ(name.size(), std::string("d-12345678-prefill").size());
  EXPECT_EQ(all.objects[0].origin->made_up.front().shown, "d-*");
  EXPECT_EQ(first["spec"]["replicas"], 3);
  EXPECT_EQ(all.objects[1].object["spec"]["replicas"], 1);
  const Json& labels =
      first["spec"]["leaderWorkerTemplate"]["workerTemplate"]["metadata"]["labels"];
  EXPECT_EQ(labels["own"], "l");
  EXPECT_EQ(labels["app"], "d-prefill");
  EXPECT_EQ(labels["disaggregatedset.x-k8s.io/role"], "prefill");
  EXPECT_EQ(all.objects[1].origin->written.front().at, "/spec/roles/1/spec");
}

struct RefusedSet {
  std::string name, roles, want;
};

class RefusedSets : public testing::TestWithParam<RefusedSet> {};

TEST_P(RefusedSets, make_nothing) {
  EXPECT_THAT(faults_of(opened(set(GetParam().roles))),
              ElementsAre(HasSubstr("refused: spec.roles" + GetParam().want)));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, RefusedSets,
    testing::Values(RefusedSet{"one_role", role("a"), ": must be 2 to 10 roles, got 1"},
                    RefusedSet{"none_beside_some", role("a", "replicas: 0, ") + ", " + role("b"),
                               ": replicas must be 0 for all roles or for none"},
                    RefusedSet{"no_template", role("a") + ", {name: b, spec: {}}",
                               "[1].spec.leaderWorkerTemplate: is missing"},
                    RefusedSet{"a_name", role("a") + ", " + role("B_c"), "[1].name: B_c"},
                    RefusedSet{"a_partition",
                               role("a") + ", " +
                                   role("b",
                                        "rolloutStrategy: {rollingUpdateConfiguration: "
                                        "{partition: 1}}, "),
                               "[1].spec.rolloutStrategy.rollingUpdateConfiguration.partition"}),
    case_name);

}  // namespace
}  // namespace tpuwh::server::wrappers
