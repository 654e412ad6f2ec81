// The picture of picture.hpp as SVG: every chip and host, all layers, for any width.
#pragma once

#include "topology/layout/node_pool.hpp"

#include <span>
#include <string>

namespace tpuwh::server::catalog {

// One drawing below the other, a title above each; light and dark. Standalone: no fonts or
// files beside it.
std::string svg(std::span<const topology::layout::NodePool> pools);

}  // namespace tpuwh::server::catalog
