#include "kubectl/predict/outlook/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace tpuwh::server::outlook {

std::string told(const std::vector<std::string>& all, std::string_view between) {
  const std::size_t shown = std::min(all.size(), most_told);
  std::string out = fmt::format("{}", fmt::join(std::span(all).first(shown), between));
  if (all.size() > shown) out += fmt::format(" and {} more", all.size() - shown);
  return out;
}

}  // namespace tpuwh::server::outlook
