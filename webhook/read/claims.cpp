#include "webhook/read/claims.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"
#include "topology/catalog.hpp"
#include "webhook/read/affinity.hpp"
#include "webhook/read/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace tpuwh::webhook::read {

namespace {

using NotCounted = TakenClaims::NotCounted;

bool asks_by_claim(const Container& container) {
  return (container.claims_begin != container.claims_end ||
          container.resources_begin != container.resources_end) &&
         container.chips() == 0;
}

// The claims of a Pod by their names: it may have as many as the review holds, and as many
// containers that use them.
class ClaimsByName {
 public:
  // Puts them in order and counts their uses. Allocates where two entries name a ResourceClaim.
  explicit ClaimsByName(Pod& pod) : pod_(pod), claims_(pod.claims) {
    // No API server takes two of one name; the first counts.
    std::ranges::sort(claims_, {},
                      [](const Claim& each) { return std::pair(name(each), each.index); });
    unite_entries();
    for (const Container& each : pod.containers)
      if (!each.init || each.sidecar)
        for_each_of(each, [](Claim* claim) {
          if (claim != nullptr) ++claim->uses;
        });
  }

  // Each claim of a container once, however often it is named: one entry for each request of a
  // claim is as good as one for all. Null where the Pod has no such claim.
  template <class F>
  void for_each_of(const Container& container, F&& each) {
    ++visit_;
    for (std::uint32_t i = container.claims_begin; i < container.claims_end; ++i) {
      Claim* claim = find(pod_.claim_uses[i]);
      if (claim != nullptr && std::exchange(claim->met, visit_) == visit_) continue;
      each(claim);
    }
  }

 private:
  static std::string_view name(const Claim& claim) { return claim.name; }

  // Two entries may name one ResourceClaim, whose devices are there once.
  void unite_entries() {
    std::vector<std::uint32_t> named;
    for (std::uint32_t i = 0; i < claims_.size(); ++i) {
      claims_[i].same = i;
      if (claims_[i].template_name.empty() && !claims_[i].claim_name.empty()) named.push_back(i);
    }
    const auto claim_name = [&](std::uint32_t i) { return claims_[i].claim_name; };
    std::ranges::stable_sort(named, {}, claim_name);
    for (std::size_t i = 1; i < named.size(); ++i)
      if (claim_name(named[i]) == claim_name(named[i - 1]))
        claims_[named[i]].same = claims_[named[i - 1]].same;
  }

  Claim* find(std::string_view wanted) const {
    const auto found = std::ranges::lower_bound(claims_, wanted, {}, name);
    if (found == claims_.end() || found->name != wanted) return nullptr;
    return &claims_[found->same];
  }

  const Pod& pod_;
  std::vector<Claim>& claims_;
  std::uint32_t visit_ = 0;
};

std::string_view first_of(std::string_view one, std::string_view other, std::string_view last) {
  return !one.empty() ? one : !other.empty() ? other : last;
}

// What the nodes are like that the Pod may have, as it says itself. It may say as much as a review
// holds, and have as many containers, so that it is looked for once.
struct SelectedNodes {
  explicit SelectedNodes(const Pod& pod)
      : chips(base::plain_decimal(selected(pod, key::accelerator_count))),
        accelerator(selected(pod, key::accelerator)),
        topology(selected(pod, key::topology)),
        described(pod.annotation(Annotation::topology)) {}

  static std::string_view selected(const Pod& pod, std::string_view key) {
    return first_of(pod.selector(key), pinned_value(pod, key), {});
  }

  std::optional<std::uint32_t> chips;  // of a node
  std::string_view accelerator, topology;
  std::string_view described;  // topology by our annotation, behind that of a claim
};

// Nothing for a text that is longer than any topology.
std::optional<topology::Dims> dims_of(std::string_view topology) {
  if (topology.size() > base::max_label_length) return std::nullopt;
  const auto dims = topology::Dims::parse(topology);
  return dims ? std::optional(*dims) : std::nullopt;
}

// That all nodes have which the Pod and its claim select.
std::optional<std::uint32_t> chips_of_node(const SelectedNodes& nodes, const Claimed& claim) {
  if (nodes.chips.value_or(0) > 0) return nodes.chips;
  const topology::Generation* generation =
      topology::find_generation(first_of(nodes.accelerator, claim.accelerator, {}));
  if (generation == nullptr) return std::nullopt;
  const auto dims = dims_of(first_of(nodes.topology, claim.topology, nodes.described));
  if (dims) {
    std::array<std::uint32_t, 4> each{};
    const bool one = topology::chips_per_vm_of(*generation, *dims, each) == 1;
    return one ? std::optional(each.front()) : std::nullopt;
  }
  const auto machines = generation->machine_types;
  const auto differs = [&](const topology::MachineType& machine) {
    return machine.chips_per_vm != machines.front().chips_per_vm;
  };
  if (machines.empty() || std::ranges::any_of(machines, differs)) return std::nullopt;
  return machines.front().chips_per_vm;
}

// What is left of it can still be no object's name, and whoever looks for it may copy it.
std::string_view looked_for(std::string_view name) {
  return name.substr(0, base::max_host_name_length + 1);
}

// "ResourceClaimTemplate four-chips"
std::string title(const ClaimSource& source) {
  return base::concat({source.resource ? "resource "
                       : source.made   ? "ResourceClaimTemplate "
                                       : "ResourceClaim ",
                       base::printable(source.name)});
}

// The claims of one Pod, one container after the other.
class Taking {
 public:
  Taking(Pod& pod, std::string_view ns, const ClusterView& cluster, TakenClaims& taken)
      : pod_(pod),
        claims_(pod),
        ns_(looked_for(ns)),
        cluster_(cluster),
        taken_(taken),
        // Who asks by google.com/tpu waits for no claim beside it.
        waits_(std::ranges::none_of(pod.containers,
                                    [](const Container& each) { return each.chips() > 0; })) {}

  void take(Container& container) {
    const std::size_t unread = taken_.unread.size();
    doubt_.clear();
    const auto chips = claimed(container);
    // Whatever they say, the chips of the container are not known.
    if (!chips) taken_.unread.resize(unread);
    if (!chips || taken_.unread.size() != unread) return;
    if (*chips == 0) {
      if (!doubt_.empty()) not_counted(NotCounted::perhaps, std::move(doubt_));
      return;
    }
    container.request = container.limit = *chips;
    container.by_claim = true;
  }

 private:
  // Nothing where they are not known. What is to be read is noted, and counts for none.
  std::optional<std::uint64_t> claimed(const Container& container) {
    std::optional<std::uint64_t> chips = 0;
    claims_.for_each_of(container, [&](const Claim* claim) {
      if (!chips) return;
      const auto more = claim == nullptr ? nothing_read() : claimed(*claim);
      chips = more ? std::optional(*chips + *more) : std::nullopt;
    });
    for (std::uint32_t i = container.resources_begin; chips && i < container.resources_end; ++i) {
      const auto more = claimed(pod_.resources[i]);
      chips = more ? std::optional(*chips + *more) : std::nullopt;
    }
    return chips;
  }

  std::optional<std::uint64_t> claimed(const AskedResource& resource) {
    const ClaimSource source{{}, looked_for(resource.name), false, true};
    const auto each = claimed(source, 1);
    if (each.value_or(0) == 0) return each;
    const auto devices = chip_count(resource.amount);
    if (devices) return *each * *devices;
    return not_counted(NotCounted::chips,
                       base::concat({title(source), ": ", devices.error().message()}));
  }

  std::optional<std::uint64_t> claimed(const Claim& claim) {
    const bool made = !claim.template_name.empty();
    const ClaimSource source{ns_, looked_for(made ? claim.template_name : claim.claim_name), made};
    return claimed(source, claim.uses);
  }

  // `uses` is the number of containers that use the claim and run at the same time.
  std::optional<std::uint64_t> claimed(const ClaimSource& source, std::uint32_t uses) {
    if (source.name.empty() || ++asked_ > max_asked_claims) return nothing_read();
    Claimed found = cluster_.claimed(source);
    switch (found.known) {
      case Claimed::Known::no:
        // Only the name of a resource shows that a class defines it, because no DeviceClass is
        // known.
        if (source.resource && !source.name.starts_with(key::class_resource)) return 0;
        if (found.why.empty()) return nothing_read();
        return not_counted(NotCounted::chips, base::concat({title(source), " ", found.why}));
      case Claimed::Known::unread:
        return wait_for(source);
      case Claimed::Known::unreadable:
        if (waits_ && taken_.unreadable.empty()) {
          taken_.unreadable = std::move(found.why);
          taken_.again = found.again;
        }
        return std::nullopt;
      case Claimed::Known::chips:
        break;
    }
    if (found.chips == 0 && !found.all) {
      if (!found.why.empty()) doubt_ = base::concat({title(source), " ", found.why});
      return 0;
    }
    return chips_of(uses, source, std::move(found));
  }

  // Of one that is for chips.
  std::optional<std::uint64_t> chips_of(std::uint32_t uses, const ClaimSource& source,
                                        Claimed found) {
    if (uses > 1)
      return not_counted(NotCounted::chips,
                         base::concat({"containers of the Pod share the chips of ", title(source),
                                       "; which of them runs on the chips is not known"}));
    if (found.all && !nodes_) nodes_.emplace(pod_);
    const auto chips = found.all ? chips_of_node(*nodes_, found) : std::optional(found.chips);
    if (!chips)
      return not_counted(NotCounted::chips,
                         base::concat({title(source),
                                       " asks for all chips of a node; how many that are does not "
                                       "follow from the node selector"}));
    if (!source.made && !source.resource) taken_.named = source.name;
    describe(std::move(found));
    return *chips;
  }

  std::nullopt_t nothing_read() { return not_counted(NotCounted::perhaps, {}); }

  // The first that is sure to be for chips is told, else the first.
  std::nullopt_t not_counted(NotCounted what, std::string why) {
    if (what <= taken_.not_counted) return std::nullopt;
    taken_.not_counted = what;
    taken_.why = std::move(why);
    return std::nullopt;
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

  const Pod& pod_;
  ClaimsByName claims_;
  const std::string_view ns_;
  const ClusterView& cluster_;
  TakenClaims& taken_;
  const bool waits_;
  std::size_t asked_ = 0;  // claims of containers
  std::optional<SelectedNodes> nodes_;
  bool described_ = false;
  std::string doubt_;  // of the container: whose devices they are that it claims
};

}  // namespace

void TakenClaims::clear() {
  unread.clear();
  unreadable.clear();
  again = false;
  accelerator.clear();
  topology.clear();
  alternatives = false;
  named = {};
  not_counted = NotCounted::nothing;
  why.clear();
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
