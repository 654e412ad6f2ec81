// The values of a Pod's labels or annotations, of those keys that a table lists.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tpuwh::webhook::read {

// `Key` is Label or Annotation. Which keys are there is a bit for each, so that forgetting them all
// is one step: a list of templates forgets them for each.
template <class Key>
class KeyValues {
 public:
  static constexpr std::size_t count = static_cast<std::size_t>(Key::count_);
  static_assert(count <= 32);

  bool has(Key key) const { return (present_ >> index(key) & 1u) != 0; }
  // "" where it is absent, too: an empty label says nothing (docs/decisions/0014).
  std::string_view text(Key key) const {
    return has(key) ? values_[index(key)] : std::string_view();
  }
  std::optional<std::string_view> find(Key key) const {
    return has(key) ? std::optional(values_[index(key)]) : std::nullopt;
  }
  void set(Key key, std::string_view value) {
    values_[index(key)] = value;
    present_ |= std::uint32_t{1} << index(key);
  }
  void forget(Key key) { present_ &= ~(std::uint32_t{1} << index(key)); }
  void clear() { present_ = 0; }

 private:
  static constexpr std::size_t index(Key key) { return static_cast<std::size_t>(key); }

  std::uint32_t present_ = 0;
  std::array<std::string_view, count> values_;  // that of an absent key is not looked at
};

}  // namespace tpuwh::webhook::read
