#include "server/kube/cluster/rbac.hpp"

#include "base/enum_names.hpp"
#include "server/kube/certificate/configuration.hpp"
#include "server/kube/certificate/contents.hpp"
#include "server/kube/cluster/cluster.hpp"
#include "server/kube/cluster/ledger_object.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace tpuwh::server::kube::cluster {
namespace {

// What is read of each kind.
constexpr base::EnumNames<store::Kind::device_class> reasons(
    "places that are taken, tokens, leaders of Jobs; and lists of one group's Pods",
    "the pool of a leader's node; chips", "names of KubeRay's headless Services",
    "hosts and replicas of worker groups",
    "chips of claims that are there by their own name (--claims)",
    "chips of claims that are made from a template (--claims)",
    "whose devices those of a claim are (--claims)");

std::string role(std::string_view kind, bool own_namespace, bool claims) {
  std::string text = fmt::format(
      "apiVersion: rbac.authorization.k8s.io/v1\nkind: {}\nmetadata:\n  name: "
      "tpu-webhook\nrules:\n",
      kind);
  for (const RbacRule& rule : rbac_rules()) {
    if (rule.own_namespace != own_namespace) continue;
    if (rule.need == Need::claims && !claims) continue;
    const std::string group = rule.api_group.empty() ? "\"\"" : rule.api_group;
    text += fmt::format("  # {}\n  - apiGroups: [{}]\n    resources: [{}]\n", rule.reason, group,
                        rule.resource);
    if (!rule.names.empty())
      text += fmt::format("    resourceNames: [{}]\n", fmt::join(rule.names, ", "));
    text += fmt::format("    verbs: [{}]\n", fmt::join(rule.verbs, ", "));
  }
  return text;
}

}  // namespace

const std::vector<RbacRule>& rbac_rules() {
  static const std::vector<RbacRule> rules = [] {
    std::vector<RbacRule> all;
    for (const Watched& each : watched())
      all.push_back({each.resource.group,
                     each.resource.plural,
                     {"list", "watch"},
                     false,
                     std::string(reasons[each.kind])});
    // One that no watch has brought yet is asked for by name (ClaimsOfPods).
    const std::vector<std::string> watched_and_asked = {"get", "list", "watch"};
    for (const Watched& each : watched_claims("v1"))
      all.push_back({each.resource.group, each.resource.plural,
                     each.kind == store::Kind::device_class
                         ? std::vector<std::string>{"list", "watch"}
                         : watched_and_asked,
                     false, std::string(reasons[each.kind]), Need::claims});
    const client::Resource ledger = ledger_objects("");
    all.push_back({ledger.group,
                   ledger.plural,
                   {"create", "delete", "get", "list", "update"},
                   true,
                   "the ledger: one object for each group of Ray workers without index labels"});
    for (const client::Resource& each : certificate::configurations())
      all.push_back({.api_group = each.group,
                     .resource = each.plural,
                     .verbs = {"get", "update"},
                     .reason = "the caBundle of our own configuration (--tls-secret)",
                     .need = Need::certificate,
                     .names = {certificate::configuration_name}});
    const client::Resource secrets = certificate::secrets("");
    all.push_back({.api_group = secrets.group,
                   .resource = secrets.plural,
                   .verbs = {"get", "update"},
                   .own_namespace = true,
                   .reason = "the certificate that the replicas issue (--tls-secret)",
                   .need = Need::certificate,
                   .names = {certificate::secret_name}});
    return all;
  }();
  return rules;
}

std::string rbac_yaml(bool claims) {
  return role("ClusterRole", false, claims) + "---\n" + role("Role", true, claims);
}

}  // namespace tpuwh::server::kube::cluster
