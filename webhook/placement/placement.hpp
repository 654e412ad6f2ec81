// Keeping a multi-host slice whole on one set of chips (docs/decisions/0017): two
// labels on every member, affinity terms where nobody else places, and a node requirement
// that keeps two hosts off one VM with more chips.
#pragma once

#include "base/buffer.hpp"
#include "base/hash.hpp"
#include "webhook/config/config.hpp"
#include "webhook/facts/facts.hpp"
#include "webhook/outcome/notes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tpuwh::webhook::placement {

// A priority as a label value, which may not begin with '-': "1000", "minus-10"
// (docs/decisions/0002).
class PriorityText {
 public:
  PriorityText() = default;
  explicit PriorityText(std::int32_t priority);
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 24> text_{};
  std::size_t size_ = 0;
};

// Whether a Pod gets Pod affinity and anti-affinity, and if not, why: for whoever explains it.
enum class Terms : std::uint8_t {
  undecided,       // nobody has asked
  single_host,     // nothing has to be kept together
  switched_off,    // by the configuration
  added,           // on `topology_key`
  pinned,          // the Pod selects one domain: topology_key=domain
  follows,         // JobSet's leader, to where it runs: topology_key=domain
  part_of_slice,   // a sub-slice or a dynamic slice: who makes it places it
  kueue_topology,  // Kueue's topology-aware scheduling places it
  kueue_compares,  // Kueue's integration keeps affinity as it is
  not_wanted,      // annotation exclusive-topology: none
  invalid_key,     // the annotation names no label key
  owner_keeps,     // the owner keeps several slices on one domain
  no_domain,       // the Pod selects no TPU nodes of GKE
};

// What is added to a member of a multi-host slice.
struct Placement {
  Terms why = Terms::undecided;
  base::Hash key{};
  PriorityText priority{};        // spec.priority
  std::string_view topology_key;  // "" where there is none
  std::string_view domain;        // its value that the Pod selects, or is to select
  topology::OtherChips not_on{};  // requirement on gke-accelerator-count; empty for none
  std::string_view follow;        // the value of topology_key to select; "" for none
  // Pinned to a node pool, which is one slice: away from others of its priority, and no more
  // (docs/decisions/0043).
  bool apart = false;

  bool labels() const { return why > Terms::switched_off; }
  bool terms() const { return why == Terms::added; }
  bool repels() const { return terms() || apart; }
};

// Keys of the slices seen last: making one takes a long multiplication for each byte, and the
// members of a slice come together. One per thread.
class SliceKeys {
 public:
  // base::hash() of the parts. Longer ones are not kept: four names of Kubernetes are no
  // longer, and what a stranger writes into a label may be as long as a review.
  static constexpr std::size_t longest = 1024;
  base::Hash of(const std::array<std::string_view, 4>& parts);

 private:
  struct Slot {
    std::string parts;
    base::Hash key;
  };
  std::array<Slot, 16> slots_;
  std::size_t last_ = 0;
  base::Buffer parts_;
};

// Decides it.
Placement plan_placement(const facts::Facts& facts, const config::Config& config, SliceKeys& keys,
                         outcome::Notes& notes);

}  // namespace tpuwh::webhook::placement
