// One shape as text for people.
#pragma once

#include "kubectl/reference/catalog/pool_options.hpp"

#include <string>

namespace tpuwh::server::catalog {

// Numbers, notes, picture, node pools, Pod.
std::string shape_text(const topology::layout::NodePool& pool, const PoolOptions& options,
                       bool colour);

}  // namespace tpuwh::server::catalog
