// The features that read objects of the cluster. A feature that is off needs no watch, no cache and
// no RBAC rule.
#pragma once

#include "webhook/config/config.hpp"

namespace tpuwh::server::kube::cluster {

struct Features {
  bool ledger = true;          // assigns ids to Ray workers without index labels
  bool placement_hint = true;  // prefers node pools that can hold a whole slice
  bool followers = true;       // gives follower Pods of JobSets the node pool of their leader Pod
  bool claims = false;         // reads the chips that Pods ask for by resource claim

  bool any() const { return ledger || placement_hint || followers || claims; }
};

// Returns the features that are on with these settings. `ledger` is true if the ids of Ray workers
// are kept in objects of the cluster.
Features features_of(const webhook::config::Config& config, bool ledger);

}  // namespace tpuwh::server::kube::cluster
