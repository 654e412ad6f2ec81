// What time it was where a cluster was written down.
#pragma once

#include "server/slices/cluster.hpp"

#include <nlohmann/json_fwd.hpp>

namespace tpuwh::server::slices {

// The newest moment that the object tells of: creation, deletion, conditions, containers, taints.
// Nothing where it tells of none.
std::optional<Time> newest_time(const nlohmann::ordered_json& object);

// Of a Node whose condition Ready is not True: since when its Pods are counted down to their
// eviction, which is the time of the taint, else of the condition. Nothing of any other.
std::optional<Time> not_ready_since(const nlohmann::ordered_json& node);

}  // namespace tpuwh::server::slices
