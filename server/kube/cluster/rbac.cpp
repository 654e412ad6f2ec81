#include "server/kube/cluster/rbac.hpp"

#include "server/kube/cluster/cluster.hpp"
#include "server/kube/cluster/ledger_object.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>

namespace tpuwh::server::kube::cluster {
namespace {

// Appends a role of this kind with the rules that belong in it, if there are any.
void add_role(std::string_view kind, std::string_view name, bool own_namespace,
              const std::vector<RbacRule>& rules, std::string& out) {
  std::string text;
  for (const RbacRule& rule : rules) {
    if (rule.own_namespace != own_namespace) continue;
    const std::string group = rule.api_group.empty() ? "\"\"" : rule.api_group;
    text += fmt::format("  # {}\n  - apiGroups: [{}]\n    resources: [{}]\n", rule.reason, group,
                        rule.resource);
    if (!rule.names.empty())
      text += fmt::format("    resourceNames: [{}]\n", fmt::join(rule.names, ", "));
    text += fmt::format("    verbs: [{}]\n", fmt::join(rule.verbs, ", "));
  }
  if (text.empty()) return;
  out += fmt::format(
      "{}apiVersion: rbac.authorization.k8s.io/v1\nkind: {}\nmetadata:\n  name: {}\nrules:\n{}",
      out.empty() ? "" : "---\n", kind, name, text);
}

}  // namespace

std::vector<RbacRule> rbac_rules(const RbacNeeds& needs) {
  std::vector<RbacRule> all;
  auto watches = watched(needs.features);
  if (needs.features.claims)
    for (Watched& each : watched_claims("v1")) watches.push_back(std::move(each));
  for (const Watched& each : watches) {
    const auto& [group, version, plural, ns] = each.resource;
    all.push_back({group, plural, {"list", "watch"}, false, each.needed_by});
    // A claim or template that no watch has brought yet is read by its name (ClaimsOfPods).
    if (each.kind == store::Kind::claim || each.kind == store::Kind::claim_template)
      all.back().verbs = {"get", "list", "watch"};
  }
  if (needs.features.ledger) {
    const client::Resource ledger = ledger_objects("");
    all.push_back({ledger.group,
                   ledger.plural,
                   {"create", "delete", "get", "list", "update"},
                   true,
                   "the ledger: one object for each group of Ray workers without index labels"});
  }
  return all;
}

std::string roles_yaml(std::string_view name, const std::vector<RbacRule>& rules) {
  std::string out;
  add_role("ClusterRole", name, false, rules, out);
  add_role("Role", name, true, rules, out);
  return out;
}

std::string rbac_yaml(const RbacNeeds& needs) {
  const auto rules = rbac_rules(needs);
  return rules.empty()
             ? "# No roles: with this configuration `serve` never contacts the API server.\n"
             : roles_yaml("tpu-webhook", rules);
}

}  // namespace tpuwh::server::kube::cluster
