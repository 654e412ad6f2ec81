#include "kubectl/text/near_miss.hpp"

#include "base/edit_distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tpuwh::server::text {

namespace {

std::string letters(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) out += static_cast<char>(std::tolower(byte));
  }
  return out;
}

}  // namespace

std::string closest(std::string_view found, std::span<const std::string> candidates) {
  constexpr std::size_t longest = 128;  // of what a user wrote; no name here comes near it
  if (found.size() > longest) return {};
  const std::string typed = letters(found);
  std::string best;
  std::size_t least = std::max<std::size_t>(typed.size() / 3, 1) + 1;
  for (const std::string& candidate : candidates) {
    const std::string name = letters(candidate);
    const std::size_t steps = base::edit_distance(typed, name);
    if (steps >= least || steps >= name.size()) continue;
    least = steps;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view name) {
  return name.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", name);
}

}  // namespace tpuwh::server::text
