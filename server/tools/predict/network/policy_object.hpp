// The NetworkPolicy of Pods that reach each other.
#pragma once

#include "server/text/json.hpp"
#include "server/tools/predict/network/networks.hpp"

namespace tpuwh::server::network {

// It admits its ports between its Pods and nothing else; what they send is as it was.
//
//   shape   has_ports(network)
Json policy_object(const Network& network);

}  // namespace tpuwh::server::network
