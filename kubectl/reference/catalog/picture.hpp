// A slice drawn in characters: chips as squares, hosts as boxes with their worker id.
//
//   2x4 on two hosts            0  1       2  3
//                             ┌ 0 ─────┐┌ 1 ─────┐
//                           0 │  ■  ■  ││  ■  ■  │
//                           1 │  ■  ■  ││  ■  ■  │
//                             └────────┘└────────┘
//
// x (the first number of the topology) runs down, y to the right; z is a layer each.
#pragma once

#include "topology/layout/grid.hpp"

#include <string>

namespace tpuwh::server::catalog {

// Lines of at most 100 columns where that is possible. A layer that is wider is drawn as
// worker ids alone. Beyond 64 hosts only the first layer is drawn, and what the others
// are is said in words.
std::string picture(const topology::layout::HostGrid& grid, unsigned rank, bool colour);

}  // namespace tpuwh::server::catalog
