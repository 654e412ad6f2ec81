#pragma once

#include <cstddef>
#include <string_view>

namespace tpuwh::base {

// How many letters are to be added, left out, replaced or swapped with their neighbour to make
// one text the other (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace tpuwh::base
