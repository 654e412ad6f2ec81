// What a Pod asks for that no node, or no node pool, can have together.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "kubectl/predict/explain/explanation.hpp"
#include "server/text/json.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::explain {

// The finding for it, a warning.
Finding no_node(std::string sentence, std::string fix);

// Required anti-affinity of the manifest's own that keeps the hosts of a slice apart; GPUs beside
// TPUs; an init container with more chips than the containers have; chips as a request without a
// limit, which the API server refuses.
//
//   pod  a member as its template has it: without the terms of the webhook
std::vector<Finding> no_node_faults(const Json& pod, const slices::SeenPod& seen);

}  // namespace tpuwh::server::explain
