// The RBAC rules that the ServiceAccount of the server needs, and no more. They follow from the
// resources that the server watches and writes. `rules --rbac` prints them, the chart has the same
// ones, and a test compares them with the audit log of an API server
// (tests/e2e/test_ledger.py::test_the_rules_are_what_is_used).
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
  bool own_namespace = false;  // a Role in our own namespace; otherwise a ClusterRole
  std::string reason;
  std::vector<std::string> names = {};  // resourceNames; empty: all
};

std::vector<RbacRule> rbac_rules(const RbacNeeds& needs);

}  // namespace tpuwh::server::kube::cluster
