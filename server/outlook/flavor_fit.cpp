#include "server/outlook/flavor_fit.hpp"

#include "server/outlook/words.hpp"
#include "webhook/pools/fit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::outlook {

namespace {

std::string why_not_selected(const Keys& keys, const Flavor& flavor, const Member& member) {
  for (const auto& selector : member.pod().node_selector) {
    if (!keys.contains(selector.key)) continue;
    const auto label = std::ranges::find(
        flavor.labels, selector.key, [](const auto& each) { return std::string_view(each.first); });
    if (label != flavor.labels.end() && label->second == selector.value) continue;
    return fmt::format("its nodes have {}, the Pods select {}={}",
                       label == flavor.labels.end()
                           ? fmt::format("no {}", plain(selector.key))
                           : fmt::format("{}={}", plain(selector.key), plain(label->second)),
                       plain(selector.key), plain(selector.value));
  }
  return {};
}

}  // namespace

Keys keys_of(const ClusterState& cluster, const ResourceGroup& group) {
  Keys out;
  for (const FlavorQuota& quota : group.flavors)
    if (const auto flavor = cluster.flavors.find(quota.flavor); flavor != cluster.flavors.end())
      for (const auto& [key, value] : flavor->second.labels) out.insert(key);
  return out;
}

std::string why_not(const ClusterState& cluster, const Keys& keys, const std::string& name,
                    const Member& member) {
  const auto found = cluster.flavors.find(name);
  if (found == cluster.flavors.end())
    return cluster.knows_flavors ? "there is no ResourceFlavor of that name" : "";
  const Flavor& flavor = found->second;
  if (std::string why = why_not_selected(keys, flavor, member); !why.empty()) return why;
  for (const auto& taint : flavor.taints)
    if (!flavor.tolerated.contains(taint.key) &&
        !webhook::pools::tolerates(member.pod().tolerations, taint))
      return fmt::format("its nodes have taint {}, which the Pods do not tolerate",
                         plain(taint.key));
  return {};
}

std::map<std::string, double> covered(const PodSet& set, const ResourceGroup& group) {
  std::map<std::string, double> out;
  for (const auto& [resource, amount] : set.requests)
    if (amount > 0 && group.covered.contains(resource)) out.emplace(resource, amount);
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
