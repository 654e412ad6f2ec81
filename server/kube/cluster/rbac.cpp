#include "server/kube/cluster/rbac.hpp"

#include "server/kube/cluster/cluster.hpp"
#include "server/kube/cluster/ledger_object.hpp"

#include <utility>

namespace tpuwh::server::kube::cluster {

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

}  // namespace tpuwh::server::kube::cluster
