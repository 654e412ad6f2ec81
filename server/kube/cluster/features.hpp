// The features that read the cluster. A feature that is off has no watch, no cache and no right.
#pragma once

#include "webhook/config/config.hpp"

namespace tpuwh::server::kube::cluster {

struct Features {
  bool ledger = true;          // ids of Ray workers without index labels (setting ledger)
  bool placement_hint = true;  // node pools that can hold a whole slice
  bool followers = true;       // the node pool of the leader of a JobSet's Job
  bool claims = false;         // chips of Pods that ask for them by resource claim

  bool any() const { return ledger || placement_hint || followers || claims; }
};

// Returns the features that these settings use. `ledger` is whether the ledger is kept in the
// cluster.
Features features_of(const webhook::config::Config& config, bool ledger);

}  // namespace tpuwh::server::kube::cluster
