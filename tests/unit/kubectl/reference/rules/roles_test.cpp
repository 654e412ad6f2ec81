#include "kubectl/reference/rules/roles.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::rules {
namespace {

TEST(RolesTest, there_is_no_role_without_rules) {
  kube::cluster::Features features;
  features.ledger = features.followers = false;
  const std::string text = server_roles_yaml({.features = features});
  EXPECT_NE(text.find("kind: ClusterRole\n"), text.npos);
  EXPECT_EQ(text.find("kind: Role\n"), text.npos);
  features.placement_hint = false;
  EXPECT_EQ(server_roles_yaml({.features = features}).front(), '#');
}

}  // namespace
}  // namespace tpuwh::server::rules
