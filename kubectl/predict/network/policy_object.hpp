// The NetworkPolicy of Pods that reach each other.
#pragma once

#include "kubectl/predict/network/networks.hpp"
#include "server/text/json.hpp"

namespace tpuwh::server::network {

// It admits its ports between its Pods and nothing else; what they send is as it was.
//
//   shape   has_ports(network)
Json policy_object(const Network& network);

}  // namespace tpuwh::server::network
