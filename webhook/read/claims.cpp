#include "webhook/read/claims.hpp"

#include <algorithm>
#include <optional>
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

// The claims of one Pod, one container after the other.
class Taking {
 public:
  Taking(Pod& pod, std::string_view ns, const ClusterView& cluster, TakenClaims& taken)
      : pod_(pod),
        claims_(pod),
        ns_(ns),
        cluster_(cluster),
        taken_(taken),
        // Who asks by google.com/tpu waits for no claim beside it.
        waits_(std::ranges::none_of(pod.containers,
                                    [](const Container& each) { return each.chips() > 0; })) {}

  void take(Container& container) {
    const std::size_t unread = taken_.unread.size();
    const auto chips = claimed(container);
    // Whatever they say, the chips of the container are not known.
    if (!chips) taken_.unread.resize(unread);
    if (!chips || *chips == 0 || taken_.unread.size() != unread) return;
    container.request = container.limit = *chips;
    container.by_claim = true;
  }

 private:
  // Nothing where they are not known. What is to be read is noted, and counts for none.
  std::optional<std::uint64_t> claimed(const Container& container) {
    std::uint64_t chips = 0;
    for (std::uint32_t i = container.claims_begin; i < container.claims_end; ++i) {
      const Claim* claim = claims_.find(pod_.claim_uses[i]);
      if (claim == nullptr) return std::nullopt;
      const auto more = claimed(*claim);
      if (!more) return std::nullopt;
      chips += *more;
    }
    return chips;
  }

  std::optional<std::uint64_t> claimed(const Claim& claim) {
    const bool made = !claim.template_name.empty();
    const ClaimSource source{ns_, made ? claim.template_name : claim.claim_name, made};
    if (source.name.empty()) return std::nullopt;
    Claimed found = cluster_.claimed(source);
    switch (found.known) {
      case Claimed::Known::no:
        return std::nullopt;
      case Claimed::Known::unread:
        return wait_for(source);
      case Claimed::Known::unreadable:
        if (waits_ && taken_.unreadable.empty()) taken_.unreadable = std::move(found.why);
        return std::nullopt;
      case Claimed::Known::chips:
        break;
    }
    // A claim that is there by its own name may be other Pods', too.
    if (found.chips > 0 && (claim.uses > 1 || !made)) return std::nullopt;
    if (found.chips > 0) describe(std::move(found));
    return found.chips;
  }

  std::optional<std::uint64_t> wait_for(const ClaimSource& source) {
    if (!waits_) return std::nullopt;
    if (std::ranges::find(taken_.unread, source) != taken_.unread.end()) return 0;
    if (taken_.unread.size() == max_unread_claims) {
      taken_.unreadable = "more claims than are looked for at once";
      return std::nullopt;
    }
    taken_.unread.push_back(source);
    return 0;
  }

  // Of claims that contradict each other none is believed.
  void describe(Claimed found) {
    taken_.alternatives = taken_.alternatives || found.alternatives;
    agree(taken_.accelerator, std::move(found.accelerator));
    agree(taken_.topology, std::move(found.topology));
    described_ = true;
  }
  void agree(std::string& all, std::string one) const {
    if (!described_)
      all = std::move(one);
    else if (all != one)
      all.clear();
  }

  Pod& pod_;
  const ClaimsByName claims_;
  const std::string_view ns_;
  const ClusterView& cluster_;
  TakenClaims& taken_;
  const bool waits_;
  bool described_ = false;
};

}  // namespace

void TakenClaims::clear() {
  unread.clear();
  unreadable.clear();
  accelerator.clear();
  topology.clear();
  alternatives = false;
}

void take_claimed_chips(Pod& pod, std::string_view ns, const ClusterView& cluster,
                        TakenClaims& taken) {
  taken.clear();
  if (std::ranges::none_of(pod.containers, asks_by_claim)) return;
  Taking taking(pod, ns, cluster, taken);
  for (Container& container : pod.containers)
    if (asks_by_claim(container)) taking.take(container);
}

}  // namespace tpuwh::webhook::read
