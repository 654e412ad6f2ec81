// Chips that are asked for by resource claim (DRA) instead of google.com/tpu.
#pragma once

#include "webhook/read/cluster.hpp"
#include "webhook/read/pod.hpp"

#include <string_view>

namespace tpuwh::webhook::read {

// Gives each container the chips that its claims ask for, as if it had asked by
// google.com/tpu. A container whose claims are not all known, or are another container's
// too, stays as it is. Puts pod.claims in the order of their names.
//
//   cost  claims and uses, times the logarithm of the claims; no allocation
void take_claimed_chips(Pod& pod, std::string_view ns, const ClusterView& cluster);

}  // namespace tpuwh::webhook::read
