// Why a node cannot hold a host of a slice, in words.
#pragma once

#include "webhook/pools/node.hpp"
#include "webhook/read/cluster.hpp"

#include <string>

namespace tpuwh::webhook::reasons {

// "node n-2 is cordoned", "node n-3 has taint team, which the Pods do not tolerate"; "" where
// unusable() has nothing against it.
std::string trouble_of(const pools::Node& node, const read::PoolQuestion& question);

// Who sets a taint, and so what becomes of it (docs/facts.md#taints).
enum class TaintCause {
  kind_of_node,   // GKE, for good: Spot, flex-start, queued nodes
  compute_class,  // GKE, for good
  setup,          // the cloud's controller, until the node is set up
  maintenance,    // GKE, until the maintenance is over
  condition,      // Kubernetes, until what is wrong with the node has passed
  unknown,
};
TaintCause cause_of(const pools::Taint& taint);
// Whether whoever has set it takes it off again by itself.
bool passes(TaintCause cause);

// The first taint that the Pod does not tolerate; null for none.
const pools::Taint* untolerated(const pools::Node& node, const read::PoolQuestion& question);

}  // namespace tpuwh::webhook::reasons
