#include "webhook/read/claims.hpp"

#include <algorithm>
#include <utility>

namespace tpuwh::webhook::read {

namespace {

bool asks_by_claim(const Container& container) {
  return container.claims_begin != container.claims_end && container.chips() == 0;
}

// The claims of a Pod by their names: it may have as many as the review holds, and as many
// containers that use them.
class ClaimsByName {
 public:
  // Puts them in order and counts their uses. Allocates nothing.
  explicit ClaimsByName(Pod& pod) : claims_(pod.claims) {
    // No API server takes two of one name; the first counts.
    std::ranges::sort(claims_, {},
                      [](const Claim& each) { return std::pair(name(each), each.index); });
    for (const std::string_view used : pod.claim_uses)
      if (Claim* claim = find(used)) ++claim->uses;
  }

  // Null where there is none.
  Claim* find(std::string_view wanted) const {
    const auto found = std::ranges::lower_bound(claims_, wanted, {}, name);
    return found == claims_.end() || found->name != wanted ? nullptr : &*found;
  }

 private:
  static std::string_view name(const Claim& claim) { return claim.name; }

  std::vector<Claim>& claims_;
};

std::optional<std::uint64_t> claimed(const Pod& pod, const Container& container,
                                     const ClaimsByName& claims, std::string_view ns,
                                     const ClusterView& cluster) {
  std::uint64_t chips = 0;
  for (std::uint32_t i = container.claims_begin; i < container.claims_end; ++i) {
    const Claim* claim = claims.find(pod.claim_uses[i]);
    if (claim == nullptr || claim->template_name.empty()) return std::nullopt;
    const auto more = cluster.claimed_chips(ns, claim->template_name);
    if (!more || (*more > 0 && claim->uses > 1)) return std::nullopt;
    chips += *more;
  }
  return chips;
}

}  // namespace

void take_claimed_chips(Pod& pod, std::string_view ns, const ClusterView& cluster) {
  if (std::ranges::none_of(pod.containers, asks_by_claim)) return;
  const ClaimsByName claims(pod);
  for (Container& container : pod.containers) {
    if (!asks_by_claim(container)) continue;
    const auto chips = claimed(pod, container, claims, ns, cluster);
    if (chips && *chips > 0) container.request = container.limit = *chips;
  }
}

}  // namespace tpuwh::webhook::read
