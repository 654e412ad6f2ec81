// The features that settings use, and the rights that each of them needs.
#include "server/kube/cluster/features.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "server/kube/cluster/rbac.hpp"

namespace tpuwh::server::kube::cluster {
namespace {

using webhook::config::Config;
using webhook::config::WorkloadKind;

std::string names_of(const Features& features) {
  std::vector<std::string> names;
  if (features.ledger) names.emplace_back("ledger");
  if (features.placement_hint) names.emplace_back("hint");
  if (features.followers) names.emplace_back("followers");
  if (features.claims) names.emplace_back("claims");
  return fmt::format("{}", fmt::join(names, " "));
}

TEST(FeaturesTest, follow_from_the_settings) {
  EXPECT_EQ(names_of(features_of({}, true)), "ledger hint followers");
  EXPECT_EQ(names_of(features_of({}, false)), "hint followers");
  Config config;
  config.claims = true;
  config.followers = config.placement_hint = false;
  EXPECT_EQ(names_of(features_of(config, false)), "claims");
  config.claims = false;
  EXPECT_FALSE(features_of(config, false).any());
}

TEST(FeaturesTest, belong_to_workload_apis_that_are_handled) {
  Config config;
  config.workloads = {WorkloadKind::ray};
  EXPECT_EQ(names_of(features_of(config, true)), "ledger hint");
  config.workloads = {WorkloadKind::jobset};
  EXPECT_EQ(names_of(features_of(config, true)), "hint followers");
}

TEST(FeaturesTest, the_hint_may_be_on_for_a_part_and_needs_placement) {
  const auto has_hint = [](const Config& config) {
    return features_of(config, false).placement_hint;
  };
  Config config;
  config.placement = false;
  EXPECT_FALSE(has_hint(config));
  config.of(WorkloadKind::job).placement = true;
  EXPECT_TRUE(has_hint(config));
  config.placement_hint = false;
  EXPECT_FALSE(has_hint(config));
  config.of(WorkloadKind::job).placement_hint = false;
  config.per_namespace["a"].placement_hint = false;
  EXPECT_FALSE(has_hint(config));
  config.per_namespace["a"].placement_hint = true;
  EXPECT_TRUE(has_hint(config));
}

// "list,watch of pods", in the order of the rules.
std::vector<std::string> rights(const Features& features) {
  std::vector<std::string> out;
  for (const RbacRule& rule : rbac_rules({.features = features}))
    out.push_back(fmt::format("{} of {}{}", fmt::join(rule.verbs, ","), rule.resource,
                              rule.own_namespace ? " (own)" : ""));
  return out;
}

constexpr Features none{.ledger = false, .placement_hint = false, .followers = false};

TEST(RightsTest, are_those_of_the_features_in_use) {
  using All = std::vector<std::string>;
  EXPECT_EQ(rights(none), All{});
  Features one = none;
  one.placement_hint = true;
  EXPECT_EQ(rights(one), All{"list,watch of nodes"});
  one = none;
  one.followers = true;
  EXPECT_EQ(rights(one), (All{"list,watch of pods", "list,watch of nodes"}));
  one = none;
  one.ledger = true;
  EXPECT_EQ(rights(one),
            (All{"list,watch of pods", "list,watch of services", "list,watch of rayclusters",
                 "create,delete,get,list,update of configmaps (own)"}));
  one = none;
  one.claims = true;
  EXPECT_EQ(rights(one),
            (All{"get,list,watch of resourceclaims", "get,list,watch of resourceclaimtemplates",
                 "list,watch of deviceclasses"}));
}

TEST(RightsTest, say_which_features_need_them) {
  Features two = none;
  two.placement_hint = two.ledger = true;
  EXPECT_EQ(rbac_rules({.features = two})[0].reason, "places of Ray workers, the placement hint");
}

}  // namespace
}  // namespace tpuwh::server::kube::cluster
