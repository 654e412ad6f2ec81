// Keeping a multi-host slice whole on one set of chips (DESIGN D8): two labels on
// every member, affinity terms where nobody else places, and a node requirement
// that keeps two hosts off one VM with more chips.
#pragma once

#include "webhook/config/config.hpp"
#include "webhook/decide/facts.hpp"
#include "webhook/decide/notes.hpp"
#include "webhook/text/hash.hpp"
#include "webhook/write/patch.hpp"
#include "webhook/write/shared_text.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace tpuwh::webhook::decide {

// A priority as a label value, which may not begin with '-': "1000", "minus-10".
class PriorityText {
 public:
  PriorityText() = default;
  explicit PriorityText(std::string_view decimal);
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
  bool count = false;             // requirement on gke-accelerator-count
  std::string_view follow;        // the value of topology_key to select; "" for none
};

// Decides it; nothing for a slice of one host or where placement is off.
std::optional<Placement> plan_placement(const Facts& facts, const config::Config& config,
                                        Notes& notes);

// One of our own labels; the map is there. Nothing where it says `value` already.
void write_own_label(const read::Pod& pod, read::Label which, write::Surface row,
                     std::string_view value, write::Patch& patch);

// Affinities of the slices seen last: most members get the whole of it, each the same.
struct Affinities {
  write::SharedTexts texts;
  text::Buffer key;  // of one of them, while it is looked for
};

// Writes what is missing of it. Applied twice, the second time writes nothing.
void write_placement(const Facts& facts, const config::Config& config, const Placement& placement,
                     Affinities& affinities, write::Patch& patch);

}  // namespace tpuwh::webhook::decide
