#include "server/kube/cluster/features.hpp"

#include <algorithm>

namespace tpuwh::server::kube::cluster {

namespace {

using webhook::config::Config;
using webhook::config::Override;
using webhook::config::WorkloadKind;

// Returns whether a setting is on globally, or for at least one workload API or namespace. `whole`
// is the global value, and `member` is the field of the setting in Override.
bool is_on_anywhere(const Config& config, bool whole, std::optional<bool> Override::*member) {
  const auto is_on = [member](const Override& each) { return (each.*member).value_or(false); };
  return whole || std::ranges::any_of(config.per_workload, is_on) ||
         std::ranges::any_of(config.per_namespace,
                             [&](const auto& each) { return is_on(each.second); });
}

}  // namespace

Features features_of(const Config& config, bool ledger) {
  return {
      .ledger = ledger && config.workloads.has(WorkloadKind::ray),
      .placement_hint = is_on_anywhere(config, config.placement, &Override::placement) &&
                        is_on_anywhere(config, config.placement_hint, &Override::placement_hint),
      .followers = config.followers && config.workloads.has(WorkloadKind::jobset),
      .claims = config.claims};
}

}  // namespace tpuwh::server::kube::cluster
