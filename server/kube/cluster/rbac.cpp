#include "server/kube/cluster/rbac.hpp"

#include "server/kube/certificate/contents.hpp"
#include "server/kube/cluster/cluster.hpp"
#include "server/kube/cluster/ledger_object.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>

namespace tpuwh::server::kube::cluster {
namespace {

// Appends a role of this kind with the rules that belong in it, if there are any.
void add_role(std::string_view kind, bool own_namespace, const std::vector<RbacRule>& rules,
              std::string& out) {
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
      "{}apiVersion: rbac.authorization.k8s.io/v1\nkind: {}\nmetadata:\n  name: "
      "tpu-webhook\nrules:\n{}",
      out.empty() ? "" : "---\n", kind, text);
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
  if (needs.secret.empty()) return all;
  for (const client::Resource& each : certificate::configurations())
    all.push_back({.api_group = each.group,
                   .resource = each.plural,
                   .verbs = {"get", "update"},
                   .reason = "the caBundle of our own configuration (--tls-secret)",
                   .names = {certificate::configuration_name}});
  const client::Resource secrets = certificate::secrets("");
  all.push_back({.api_group = secrets.group,
                 .resource = secrets.plural,
                 .verbs = {"get", "update"},
                 .own_namespace = true,
                 .reason = "the certificate that the replicas issue (--tls-secret)",
                 .names = {needs.secret}});
  return all;
}

std::string rbac_yaml(const RbacNeeds& needs) {
  const auto rules = rbac_rules(needs);
  std::string out;
  add_role("ClusterRole", false, rules, out);
  add_role("Role", true, rules, out);
  return out.empty()
             ? "# No roles: with this configuration `serve` never contacts the API server.\n"
             : out;
}

}  // namespace tpuwh::server::kube::cluster
