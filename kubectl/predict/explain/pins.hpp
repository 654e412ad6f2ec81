// Workloads that select one node pool, of which a slice of several hosts wants all.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "kubectl/predict/explain/explanation.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tpuwh::server::explain {

class Pins {
 public:
  // A member of the workload at this index: kept where it is pinned and its slice wants the pool.
  void add(const slices::SeenPod& seen, std::size_t workload);

  // Tells each of the others, of whom a few are named.
  void tell(std::vector<Workload>& workloads) const;

 private:
  std::map<std::string, std::set<std::size_t>> by_pool_;
};

}  // namespace tpuwh::server::explain
