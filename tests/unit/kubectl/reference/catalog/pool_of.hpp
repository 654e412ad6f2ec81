// A way to make a shape, by label and dimensions.
#pragma once

#include "topology/catalog.hpp"
#include "topology/layout/node_pool.hpp"

#include <cstdint>
#include <string_view>

namespace tpuwh::server::catalog {

inline topology::layout::NodePool pool_of(std::string_view label, const topology::Dims& dims,
                                          std::uint32_t chips = 4) {
  return *topology::layout::node_pool(*topology::find_generation(label), dims, chips);
}

}  // namespace tpuwh::server::catalog
