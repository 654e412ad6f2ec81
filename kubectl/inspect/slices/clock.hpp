// Since when a node was not ready, by what it says of itself.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "server/text/json.hpp"

namespace tpuwh::server::slices {

// Of a Node whose condition Ready is not True: since when its Pods are counted down to their
// eviction, which is the time of the taint, else of the condition. Nothing of any other.
std::optional<Time> not_ready_since(const Json& node);

}  // namespace tpuwh::server::slices
