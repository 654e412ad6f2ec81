// The order of a node selector's keys.
#pragma once

#include "webhook/read/pod.hpp"

#include <vector>

namespace tpuwh::webhook::read {

// By key, as Go writes a map. A selector may be as long as the review, in the order that costs
// most: keys are compared eight bytes at a time, as numbers.
void sort_by_key(std::vector<Selector>& selectors);

}  // namespace tpuwh::webhook::read
