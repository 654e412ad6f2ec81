// Why a node cannot hold a host of a slice, in words.
#pragma once

#include "webhook/pools/node.hpp"
#include "webhook/read/cluster.hpp"

#include <string>

namespace tpuwh::webhook::pools {

// "node n-2 is cordoned", "node n-3 has taint team, which the Pods do not tolerate"; "" where
// unusable() has nothing against it.
std::string trouble_of(const Node& node, const read::PoolQuestion& question);

// The first taint that the Pod does not tolerate; null for none.
const Taint* untolerated(const Node& node, const read::PoolQuestion& question);

}  // namespace tpuwh::webhook::pools
