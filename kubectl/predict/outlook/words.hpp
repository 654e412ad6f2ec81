// Names of a cluster and of a manifest, as they may stand in a sentence.
#pragma once

#include "base/names.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::outlook {

// No legal name of Kubernetes is cut.
inline std::string plain(std::string_view name) {
  return base::printable(name, 253);
}

// Of each list so many at the most are told.
inline constexpr std::size_t most_told = 4;

// "a; b and 3 more"
std::string told(const std::vector<std::string>& all, std::string_view between);

}  // namespace tpuwh::server::outlook
