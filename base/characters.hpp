// Sets of characters: one look-up says whether a byte is of a set.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace tpuwh::base {

// By the character as an unsigned number.
using Characters = std::array<bool, 256>;

// Those of which `allowed` says so.
template <class F>
constexpr Characters characters(F&& allowed) {
  Characters set{};
  for (std::size_t c = 0; c < set.size(); ++c) set[c] = allowed(static_cast<char>(c));
  return set;
}

constexpr bool is_of(const Characters& set, char c) {
  return set[static_cast<unsigned char>(c)];
}

inline bool consists_of(const Characters& set, std::string_view text) {
  bool all = true;  // no branch for each: texts mostly do
  for (const char c : text) all &= is_of(set, c);
  return all;
}

// How many of them the text begins with.
inline std::size_t count_leading(const Characters& set, std::string_view text) {
  const auto end = std::ranges::find_if_not(text, [&](char c) { return is_of(set, c); });
  return static_cast<std::size_t>(end - text.begin());
}

}  // namespace tpuwh::base
