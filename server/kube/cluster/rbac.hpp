// What the program asks of the API server: the rules its ServiceAccount needs, no more.
// Made from what it watches and writes, printed by `rules --rbac`, in the chart as it is, and
// compared with what an API server's audit log saw
// (tests/e2e/test_ledger.py::test_the_rules_are_what_is_used).
#pragma once

#include <string>
#include <vector>

namespace tpuwh::server::kube::cluster {

// What a rule is for: each may be switched off (--ledger none; a certificate from files; without
// --claims).
enum class Need { ledger, certificate, claims };

struct RbacRule {
  std::string api_group;  // "" for core
  std::string resource;
  std::vector<std::string> verbs;
  bool own_namespace = false;  // a Role in our own namespace; else a ClusterRole
  std::string reason;
  Need need = Need::ledger;
  std::vector<std::string> names = {};  // resourceNames; empty: all
};

const std::vector<RbacRule>& rbac_rules();

// A ClusterRole and a Role named tpu-webhook, as YAML; with the rules for claims where they are
// read.
std::string rbac_yaml(bool claims);

}  // namespace tpuwh::server::kube::cluster
