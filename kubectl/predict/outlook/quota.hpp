// Whether a queue of Kueue has quota for a workload.
#pragma once

#include "kubectl/predict/outlook/node_pools.hpp"

#include <vector>

namespace tpuwh::server::outlook {

// Adds to `out` what its queue wants; nothing where it names none,
// or where there is no Kueue. What it gets is taken.
void look_at_quota(const ClusterState& cluster, const WantedWorkload& workload,
                   const std::vector<PodSet>& pod_sets, Taken& taken, WorkloadOutlook& out);

}  // namespace tpuwh::server::outlook
