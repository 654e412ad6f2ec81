// Whether a queue of Kueue has quota for a workload.
#pragma once

#include "server/outlook/node_pools.hpp"

#include <memory>
#include <vector>

namespace tpuwh::server::outlook {

// Slices of a workload that ask the same, and how many chips they need together.
struct Demand {
  std::shared_ptr<const Member> member;
  std::uint64_t chips = 0;
};

// Adds to `out` what its queue wants; nothing where it names none,
// or where there is no Kueue. What it gets is taken.
void look_at_quota(const ClusterState& cluster, const WantedWorkload& workload,
                   const std::vector<Demand>& demands, Taken& taken, WorkloadOutlook& out);

}  // namespace tpuwh::server::outlook
