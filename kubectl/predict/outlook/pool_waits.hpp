// What slices wait for that no node pool can hold.
#pragma once

#include "kubectl/predict/outlook/node_pools.hpp"

#include <vector>

namespace tpuwh::server::outlook {

// Slices of one workload that ask the same and have no place.
struct Placeless {
  const Member& member;  // of the first
  std::vector<const WantedSlice*> slices;
  std::size_t of = 0;  // slices that the workload has
};

// One for each kind of reason.
//
//   views  NodePools::views, once all slices have been placed
//   taken  gets the names of the node pools that are to be made
std::vector<Wait> pool_waits(const Placeless& slices, const std::vector<PoolView>& views,
                             Taken& taken, const ClusterState& cluster);

}  // namespace tpuwh::server::outlook
