#include "kubectl/predict/network/policy.hpp"

#include "tests/support/yaml.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace tpuwh::server::network {

void PrintTo(Sure sure, std::ostream* out) {
  *out << (sure == Sure::no ? "no" : sure == Sure::maybe ? "maybe" : "yes");
}

namespace {

using test::yaml;
using Json = nlohmann::ordered_json;

constexpr std::uint32_t libtpu = 8471;

Policy policy(const std::string& spec) {
  return {yaml("metadata: {name: p}\nspec: " + spec + "\n"), "ml"};
}

// A member of Job train, whose controller gives out one of its labels.
Endpoint member() {
  return {.labels = {{"batch.kubernetes.io/job-name", "train"},
                     {"app", "trainer"},
                     {"controller-uid", nullptr}},
          .ports = yaml("[{name: tpu, containerPort: 8471}, {name: udp, containerPort: 8471, "
                        "protocol: UDP}]")};
}

TEST(Selectors, find_pods_as_surely_as_their_labels_are_known) {
  const std::pair<std::string, Sure> cases[] = {
      {"{}", Sure::yes},
      {"{matchLabels: {app: trainer}}", Sure::yes},
      {"{matchLabels: {app: web}}", Sure::no},
      {"{matchLabels: {tier: web}}", Sure::no},
      {"{matchLabels: {app: trainer, tier: web}}", Sure::no},
      {"{matchLabels: {controller-uid: x}}", Sure::maybe},
      {"{matchLabels: {kueue.x-k8s.io/podset: main}}", Sure::maybe},
      {"{matchExpressions: [{key: app, operator: In, values: [web, trainer]}]}", Sure::yes},
      {"{matchExpressions: [{key: app, operator: NotIn, values: [web]}]}", Sure::yes},
      {"{matchExpressions: [{key: tier, operator: NotIn, values: [web]}]}", Sure::yes},
      {"{matchExpressions: [{key: controller-uid, operator: In, values: [x]}]}", Sure::maybe},
      {"{matchExpressions: [{key: controller-uid, operator: Exists}]}", Sure::yes},
      {"{matchExpressions: [{key: app, operator: DoesNotExist}]}", Sure::no},
      {"{matchExpressions: [{key: tier, operator: DoesNotExist}]}", Sure::yes},
      {"{matchExpressions: [{key: app, operator: Near}]}", Sure::maybe},
      {"{matchLabels: {app: trainer}, matchExpressions: [{key: controller-uid, "
       "operator: In, values: [x]}]}",
       Sure::maybe},
  };
  for (const auto& [selector, want] : cases) {
    SCOPED_TRACE(selector);
    const Policy made = policy("{podSelector: " + selector + "}");
    EXPECT_EQ(made.isolates(Direction::ingress, member()), want);
  }
}

TEST(APolicy, of_no_types_is_of_ingress_and_with_rules_of_egress) {
  const auto isolates = [](const std::string& spec) {
    const Policy made = policy(spec);
    return std::pair(made.isolates(Direction::ingress, member()),
                     made.isolates(Direction::egress, member()));
  };
  EXPECT_EQ(isolates("{podSelector: {}}"), std::pair(Sure::yes, Sure::no));
  EXPECT_EQ(isolates("{podSelector: {}, egress: []}"), std::pair(Sure::yes, Sure::no));
  EXPECT_EQ(isolates("{podSelector: {}, egress: [{}]}"), std::pair(Sure::yes, Sure::yes));
  EXPECT_EQ(isolates("{podSelector: {}, policyTypes: [Egress]}"), std::pair(Sure::no, Sure::yes));
}

TEST(APolicy, of_unknown_labels_selects_nobody_for_sure) {
  Endpoint pod = member();
  pod.labels_known = false;
  EXPECT_EQ(policy("{podSelector: {matchLabels: {tier: web}}}").isolates(Direction::ingress, pod),
            Sure::maybe);
}

const std::string from_members = "from: [{podSelector: {matchLabels: {app: trainer}}}]";

TEST(Rules, admit_a_port_as_surely_as_everything_is_known) {
  const std::pair<std::string, Sure> cases[] = {
      {"[]", Sure::no},
      {"[{}]", Sure::yes},
      {"[{from: [], ports: []}]", Sure::yes},
      {"[{" + from_members + "}]", Sure::yes},
      {"[{from: [{podSelector: {matchLabels: {app: web}}}]}]", Sure::no},
      {"[{from: [{podSelector: {matchLabels: {app: web}}}]}, {}]", Sure::yes},
      {"[{from: [{podSelector: {matchLabels: {app: web}}}, {podSelector: {}}]}]", Sure::yes},
      {"[{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]", Sure::maybe},
      {"[{from: [{namespaceSelector: {}}]}]", Sure::yes},
      {"[{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ml}}}]}]",
       Sure::yes},
      {"[{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: web}}}]}]",
       Sure::no},
      {"[{from: [{namespaceSelector: {matchLabels: {team: ml}}}]}]", Sure::maybe},
      {"[{from: [{namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}]}]", Sure::no},
      {"[{from: [{}]}]", Sure::maybe},
      {"[{ports: [{port: 8471}]}]", Sure::yes},
      {"[{ports: [{port: 8080}]}]", Sure::no},
      {"[{ports: [{port: 8080}, {port: 8471}]}]", Sure::yes},
      {"[{ports: [{port: 8000, endPort: 9000}]}]", Sure::yes},
      {"[{ports: [{port: 9000, endPort: 9001}]}]", Sure::no},
      {"[{ports: [{protocol: TCP}]}]", Sure::yes},
      {"[{ports: [{port: 8471, protocol: UDP}]}]", Sure::no},
      {"[{ports: [{port: tpu}]}]", Sure::yes},
      {"[{ports: [{port: udp}]}]", Sure::no},
      {"[{ports: [{port: http}]}]", Sure::no},
      {"[{" + from_members + ", ports: [{port: 22}]}]", Sure::no},
      {"[{from: [{ipBlock: {cidr: 10.0.0.0/8}}], ports: [{port: 8471}]}]", Sure::maybe},
      {"[{from: [{ipBlock: {cidr: 10.0.0.0/8}}], ports: [{port: 22}]}]", Sure::no},
  };
  for (const auto& [rules, want] : cases) {
    SCOPED_TRACE(rules);
    const Policy made = policy("{podSelector: {}, ingress: " + rules + "}");
    EXPECT_EQ(made.admits(Direction::ingress, member(), member(), libtpu), want);
  }
}

TEST(APolicy, of_egress_looks_at_whom_it_goes_to) {
  const Policy made = policy(
      "{podSelector: {}, policyTypes: [Egress], egress: [{to: [{podSelector: {matchLabels: {app: "
      "web}}}], ports: [{port: tpu}]}]}");
  Endpoint web = member();
  web.labels["app"] = "web";
  EXPECT_EQ(made.admits(Direction::egress, member(), web, libtpu), Sure::yes);
  EXPECT_EQ(made.admits(Direction::egress, web, member(), libtpu), Sure::no);
  web.ports = Json::array();
  EXPECT_EQ(made.admits(Direction::egress, member(), web, libtpu), Sure::no);
}

TEST(APolicy, has_the_keys_that_tell_pods_apart) {
  std::set<std::string> keys;
  const Policy made = policy(
      "{podSelector: {matchLabels: {a: x}}, ingress: [{from: [{podSelector: {matchExpressions: "
      "[{key: b, operator: Exists}]}}], ports: [{port: tpu}]}]}");
  made.add_keys(keys);
  EXPECT_EQ(keys, (std::set<std::string>{"a", "b"}));
  EXPECT_TRUE(made.names_ports());
  EXPECT_FALSE(policy("{podSelector: {}, ingress: [{ports: [{port: 1}]}]}").names_ports());
  EXPECT_EQ(made.ns(), "ml");
}

}  // namespace
}  // namespace tpuwh::server::network
