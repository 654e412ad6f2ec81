#include "webhook/read/claims.hpp"

#include <algorithm>

namespace tpuwh::webhook::read {

namespace {

const Claim* find_claim(const Pod& pod, std::string_view name) {
  const auto found = std::ranges::find(pod.claims, name, &Claim::name);
  return found == pod.claims.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> claimed(const Pod& pod, const Container& container,
                                     std::string_view ns, const ClusterView& cluster) {
  std::uint64_t chips = 0;
  for (std::uint32_t i = container.claims_begin; i < container.claims_end; ++i) {
    const std::string_view name = pod.claim_uses[i];
    const Claim* claim = find_claim(pod, name);
    if (claim == nullptr || claim->template_name.empty()) return std::nullopt;
    const auto more = cluster.claimed_chips(ns, claim->template_name);
    if (!more) return std::nullopt;
    if (*more > 0 && std::ranges::count(pod.claim_uses, name) > 1) return std::nullopt;
    chips += *more;
  }
  return chips;
}

}  // namespace

void take_claimed_chips(Pod& pod, std::string_view ns, const ClusterView& cluster) {
  for (Container& container : pod.containers) {
    if (container.claims_begin == container.claims_end || container.chips() > 0) continue;
    const auto chips = claimed(pod, container, ns, cluster);
    if (chips && *chips > 0) container.request = container.limit = *chips;
  }
}

}  // namespace tpuwh::webhook::read
