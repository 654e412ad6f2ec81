// The NetworkPolicy of Pods that reach each other.
#pragma once

#include "server/tools/predict/network/networks.hpp"

#include <nlohmann/json_fwd.hpp>

namespace tpuwh::server::network {

// It admits its ports between its Pods and nothing else; what they send is as it was.
//
//   shape   has_ports(network)
nlohmann::ordered_json policy_object(const Network& network);

}  // namespace tpuwh::server::network
