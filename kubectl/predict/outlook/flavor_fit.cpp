#include "kubectl/predict/outlook/flavor_fit.hpp"

#include "kubectl/predict/outlook/words.hpp"
#include "webhook/facts/shape.hpp"
#include "webhook/pools/fit.hpp"
#include "webhook/read/affinity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::outlook {

namespace {

std::string why_not_selected(const Flavor& flavor, const Member& member) {
  for (const auto& [key, value] : flavor.labels) {
    const std::string has = fmt::format("its nodes have {}={}", plain(key), plain(value));
    for (const auto& selector : member.pod().node_selector)
      if (selector.key == key && selector.value != value)
        return fmt::format("{}, the Pods select {}={}", has, plain(key), plain(selector.value));
    if (webhook::read::node_affinity_excludes(member.pod(), {key, value}))
      return has + ", which the Pods' required node affinity excludes";
  }
  return {};
}

}  // namespace

std::string why_not(const ClusterState& cluster, const std::string& name, const Member& member) {
  const auto found = cluster.flavors.find(name);
  if (found == cluster.flavors.end())
    return cluster.knows_flavors ? "there is no ResourceFlavor of that name" : "";
  const Flavor& flavor = found->second;
  if (std::string why = why_not_selected(flavor, member); !why.empty()) return why;
  if (flavor.topology.empty() && webhook::facts::placed_by_kueue(member.pod()))
    return "it names no Topology, and the Pods ask for topology-aware scheduling";
  for (const auto& taint : flavor.taints)
    if (!flavor.tolerated.contains(taint.key) &&
        !webhook::pools::tolerates(member.pod().tolerations, taint))
      return fmt::format("its nodes have taint {}, which the Pods do not tolerate",
                         plain(taint.key));
  return {};
}

std::map<std::string, double> covered(const PodSet& set, const ResourceGroup& group) {
  std::map<std::string, double> out;
  for (const auto& [resource, amount] : set.each)
    if (group.covered.contains(resource)) out.emplace(resource, set.of_all(amount));
  return out;
}

bool is_ever_enough(const ClusterQueue& queue, const FlavorQuota& quota,
                    const std::map<std::string, double>& needs) {
  return std::ranges::all_of(needs, [&](const auto& need) {
    const auto found = quota.of.find(need.first);
    const Quota own = found == quota.of.end() ? Quota{} : found->second;
    if (need.second <= own.nominal || !own.not_a_quantity.empty()) return true;
    return !queue.cohort.empty() &&
           need.second - own.nominal <= own.borrowing_limit.value_or(need.second);
  });
}

}  // namespace tpuwh::server::outlook
