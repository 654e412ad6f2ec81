// The RBAC rules that the ServiceAccount of the server needs, and no others. The rules are derived
// from the resources that the server watches and writes. `kubectl tpu rules --rbac` prints them,
// and the chart contains the same rules. A test compares the rules with the audit log of an API
// server (tests/e2e/test_ledger.py::test_the_rules_are_what_is_used).
#pragma once

#include "server/kube/cluster/features.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::kube::cluster {

// The settings that determine which rights are needed. The defaults are those of the chart.
struct RbacNeeds {
  Features features = {};
};

struct RbacRule {
  std::string api_group;  // "" for core
  std::string resource;
  std::vector<std::string> verbs;
  bool own_namespace = false;  // true: in a Role in the server's namespace; false: in a ClusterRole
  std::string reason;
  std::vector<std::string> names = {};  // resourceNames; empty: all
};

std::vector<RbacRule> rbac_rules(const RbacNeeds& needs);

}  // namespace tpuwh::server::kube::cluster
