// Small pieces of the texts of `catalog`.
#pragma once

#include "topology/layout/node_pool.hpp"

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

namespace tpuwh::server::catalog {

inline std::string joined(std::span<const std::string_view> words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// "false,true,false"
inline std::string wrap_text(const topology::Slice& slice) {
  const auto wrap = slice.wrap();
  return fmt::format("{},{},{}", wrap[0], wrap[1], wrap[2]);
}

}  // namespace tpuwh::server::catalog
