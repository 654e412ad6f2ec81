// Keeping a multi-host slice whole on one set of chips (docs/decisions/0017): two
// labels on every member, affinity terms where nobody else places, and a node requirement
// that keeps two hosts off one VM with more chips.
#pragma once

#include "webhook/config/config.hpp"
#include "webhook/facts/facts.hpp"
#include "webhook/outcome/notes.hpp"
#include "webhook/text/buffer.hpp"
#include "webhook/text/hash.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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

// What is added to a member of a multi-host slice.
struct Placement {
  text::SliceKey key{};
  PriorityText priority{};        // spec.priority
  bool terms = false;             // Pod affinity and anti-affinity
  std::string_view topology_key;  // their domain
  topology::OtherChips not_on{};  // requirement on gke-accelerator-count; empty for none
  std::string_view follow;        // the value of topology_key to select; "" for none
};

// Keys of the slices seen last: making one takes a long multiplication for each byte, and the
// members of a slice come together. One per thread.
class SliceKeys {
 public:
  // text::slice_key() of the parts. Longer ones are not kept: four names of Kubernetes are no
  // longer, and what a stranger writes into a label may be as long as a review.
  static constexpr std::size_t longest = 1024;
  text::SliceKey of(const std::array<std::string_view, 4>& parts);

 private:
  struct Slot {
    std::string parts;
    text::SliceKey key;
  };
  std::array<Slot, 16> slots_;
  std::size_t last_ = 0;
  text::Buffer parts_;
};

// Decides it; nothing for a slice of one host or where placement is off.
std::optional<Placement> plan_placement(const facts::Facts& facts, const config::Config& config,
                                        SliceKeys& keys, outcome::Notes& notes);

}  // namespace tpuwh::webhook::placement
