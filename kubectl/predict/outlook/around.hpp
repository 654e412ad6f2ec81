// What a workload waits for beside nodes and quota.
#pragma once

#include "kubectl/predict/outlook/outlook.hpp"

namespace tpuwh::server::outlook {

// Headless Services that its Pods name.
void look_at_services(const ClusterState& cluster, const WantedWorkload& workload,
                      WorkloadOutlook& out);
// Scheduling gates that its Pods come with. Those of Kueue are quota's business.
void look_at_gates(const WantedWorkload& workload, WorkloadOutlook& out);

}  // namespace tpuwh::server::outlook
