#include "kubectl/reference/rules/roles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tpuwh::server::rules {
namespace {

// Appends the YAML of one role of this kind (ClusterRole or Role) to `out`. The role has the rules
// whose field own_namespace is equal to the parameter `own_namespace`. If `rules` has no such rule,
// nothing is appended.
void add_role(std::string_view kind, std::string_view name, bool own_namespace,
              const std::vector<kube::cluster::RbacRule>& rules, std::string& out) {
  std::string text;
  for (const kube::cluster::RbacRule& rule : rules) {
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

std::string roles_yaml(std::string_view name, const std::vector<kube::cluster::RbacRule>& rules) {
  std::string out;
  add_role("ClusterRole", name, false, rules, out);
  add_role("Role", name, true, rules, out);
  return out;
}

std::string server_roles_yaml(const kube::cluster::RbacNeeds& needs) {
  const auto rules = kube::cluster::rbac_rules(needs);
  return rules.empty()
             ? "# No roles are needed: with this configuration, `tpu-webhook serve` never contacts "
               "the API server.\n"
             : roles_yaml("tpu-webhook", rules);
}

}  // namespace tpuwh::server::rules
