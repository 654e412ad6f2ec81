// What somebody who mistyped a name probably meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tpuwh::server::text {

// How many letters are to be added, left out, replaced or swapped with their neighbour to make
// one text the other (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `found`, by at most a third of its letters, but always one. Case and
// the signs between words do not count ("drain_delay" is "drain.delay"). "" where none is near.
std::string closest(std::string_view found, std::span<const std::string> candidates);

// "; did you mean \"drain.delay\"?", or "" for "".
std::string did_you_mean(std::string_view name);

}  // namespace tpuwh::server::text
