#include "kubectl/predict/network/policy.hpp"

#include "kubectl/text/yaml.hpp"
#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace tpuwh::server::network {

void PrintTo(Sure sure, std::ostream* out) {
  *out << (sure == Sure::no ? "no" : sure == Sure::maybe ? "maybe" : "yes");
}

namespace {

using test::case_name;
using test::PrintTo;
using Json = nlohmann::ordered_json;

constexpr std::uint32_t libtpu = 8471;

Json yaml(const std::string& text) {
  return text::parse_yaml(text)->front();
}

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

struct Selected {
  std::string name, selector;
  Sure want;
};

class Selectors : public testing::TestWithParam<Selected> {};

TEST_P(Selectors, find_pods_as_surely_as_their_labels_are_known) {
  const Policy made = policy("{podSelector: " + GetParam().selector + "}");
  EXPECT_EQ(made.isolates(Direction::ingress, member()), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Selectors, Selectors,
    testing::Values(
        Selected{"all", "{}", Sure::yes},
        Selected{"a_label", "{matchLabels: {app: trainer}}", Sure::yes},
        Selected{"another_value", "{matchLabels: {app: web}}", Sure::no},
        Selected{"another_key", "{matchLabels: {tier: web}}", Sure::no},
        Selected{"two_of_which_one", "{matchLabels: {app: trainer, tier: web}}", Sure::no},
        Selected{"a_value_that_is_given_out", "{matchLabels: {controller-uid: x}}", Sure::maybe},
        Selected{"a_controllers_key", "{matchLabels: {kueue.x-k8s.io/podset: main}}", Sure::maybe},
        Selected{"in", "{matchExpressions: [{key: app, operator: In, values: [web, trainer]}]}",
                 Sure::yes},
        Selected{"not_in", "{matchExpressions: [{key: app, operator: NotIn, values: [web]}]}",
                 Sure::yes},
        Selected{"not_in_of_no_label",
                 "{matchExpressions: [{key: tier, operator: NotIn, values: [web]}]}", Sure::yes},
        Selected{"in_of_what_is_given_out",
                 "{matchExpressions: [{key: controller-uid, operator: In, values: [x]}]}",
                 Sure::maybe},
        Selected{"exists", "{matchExpressions: [{key: controller-uid, operator: Exists}]}",
                 Sure::yes},
        Selected{"does_not_exist", "{matchExpressions: [{key: app, operator: DoesNotExist}]}",
                 Sure::no},
        Selected{"does_not_exist_here", "{matchExpressions: [{key: tier, operator: DoesNotExist}]}",
                 Sure::yes},
        Selected{"to_come", "{matchExpressions: [{key: app, operator: Near}]}", Sure::maybe},
        Selected{"both",
                 "{matchLabels: {app: trainer}, matchExpressions: [{key: controller-uid, "
                 "operator: In, values: [x]}]}",
                 Sure::maybe}),
    case_name);

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

struct Rule {
  std::string name, rules;
  Sure want;
};

class Rules : public testing::TestWithParam<Rule> {};

TEST_P(Rules, admit_a_port_as_surely_as_everything_is_known) {
  const Policy made = policy("{podSelector: {}, ingress: " + GetParam().rules + "}");
  EXPECT_EQ(made.admits(Direction::ingress, member(), member(), libtpu), GetParam().want);
}

const std::string from_members = "from: [{podSelector: {matchLabels: {app: trainer}}}]";

INSTANTIATE_TEST_SUITE_P(
    Rules, Rules,
    testing::Values(
        Rule{"none", "[]", Sure::no}, Rule{"everything", "[{}]", Sure::yes},
        Rule{"from_all", "[{from: [], ports: []}]", Sure::yes},
        Rule{"from_members", "[{" + from_members + "}]", Sure::yes},
        Rule{"from_others", "[{from: [{podSelector: {matchLabels: {app: web}}}]}]", Sure::no},
        Rule{"the_second_rule", "[{from: [{podSelector: {matchLabels: {app: web}}}]}, {}]",
             Sure::yes},
        Rule{"the_second_peer",
             "[{from: [{podSelector: {matchLabels: {app: web}}}, {podSelector: {}}]}]", Sure::yes},
        Rule{"an_address", "[{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]", Sure::maybe},
        Rule{"all_namespaces", "[{from: [{namespaceSelector: {}}]}]", Sure::yes},
        Rule{"this_namespace",
             "[{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ml}}}]}]",
             Sure::yes},
        Rule{"another_namespace",
             "[{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: web}}}]}]",
             Sure::no},
        Rule{"a_labelled_namespace", "[{from: [{namespaceSelector: {matchLabels: {team: ml}}}]}]",
             Sure::maybe},
        Rule{"others_of_all_namespaces",
             "[{from: [{namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}]}]",
             Sure::no},
        Rule{"an_empty_peer", "[{from: [{}]}]", Sure::maybe},
        Rule{"the_port", "[{ports: [{port: 8471}]}]", Sure::yes},
        Rule{"another_port", "[{ports: [{port: 8080}]}]", Sure::no},
        Rule{"one_of_the_ports", "[{ports: [{port: 8080}, {port: 8471}]}]", Sure::yes},
        Rule{"a_range", "[{ports: [{port: 8000, endPort: 9000}]}]", Sure::yes},
        Rule{"another_range", "[{ports: [{port: 9000, endPort: 9001}]}]", Sure::no},
        Rule{"all_of_tcp", "[{ports: [{protocol: TCP}]}]", Sure::yes},
        Rule{"udp", "[{ports: [{port: 8471, protocol: UDP}]}]", Sure::no},
        Rule{"a_name", "[{ports: [{port: tpu}]}]", Sure::yes},
        Rule{"the_name_of_a_udp_port", "[{ports: [{port: udp}]}]", Sure::no},
        Rule{"nobodys_name", "[{ports: [{port: http}]}]", Sure::no},
        Rule{"another_port_from_members", "[{" + from_members + ", ports: [{port: 22}]}]",
             Sure::no},
        Rule{"the_port_from_an_address",
             "[{from: [{ipBlock: {cidr: 10.0.0.0/8}}], ports: [{port: 8471}]}]", Sure::maybe},
        Rule{"another_port_from_an_address",
             "[{from: [{ipBlock: {cidr: 10.0.0.0/8}}], ports: [{port: 22}]}]", Sure::no}),
    case_name);

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
