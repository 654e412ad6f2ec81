// What the program asks of the API server: the rules its ServiceAccount needs, no more.
// Made from what it watches and writes, printed by `rules --rbac`, in the chart as it is, and
// compared with what an API server's audit log saw
// (tests/e2e/test_ledger.py::test_the_rules_are_what_is_used).
#pragma once

#include "server/kube/certificate/configuration.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::kube::cluster {

// The settings that determine which rights are needed. The defaults are those of the chart.
struct RbacNeeds {
  bool cluster = true;  // the cluster is watched and holds the ledger; false with --ledger none
  bool claims = false;  // --claims is set
  std::string secret = certificate::secret_name;  // --tls-secret; "" for a certificate from files
};

struct RbacRule {
  std::string api_group;  // "" for core
  std::string resource;
  std::vector<std::string> verbs;
  bool own_namespace = false;  // a Role in our own namespace; else a ClusterRole
  std::string reason;
  std::vector<std::string> names = {};  // resourceNames; empty: all
};

std::vector<RbacRule> rbac_rules(const RbacNeeds& needs);

// A ClusterRole and a Role named tpu-webhook, as YAML; a comment if nothing is needed.
std::string rbac_yaml(const RbacNeeds& needs);

}  // namespace tpuwh::server::kube::cluster
