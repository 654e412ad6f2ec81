#include "server/text/near_miss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

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

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string closest(std::string_view found, std::span<const std::string> candidates) {
  constexpr std::size_t longest = 128;  // of what a user wrote; no name here comes near it
  if (found.size() > longest) return {};
  const std::string typed = letters(found);
  std::string best;
  std::size_t least = std::max<std::size_t>(typed.size() / 3, 1) + 1;
  for (const std::string& candidate : candidates) {
    const std::string name = letters(candidate);
    const std::size_t steps = edit_distance(typed, name);
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
