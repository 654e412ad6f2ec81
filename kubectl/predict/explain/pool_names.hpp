// The names of the node pools to make, of which each is made once.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"

#include <vector>

namespace tpuwh::server::explain {

// Several groups of one shape have pools whose numbers go on; a pool that the Pods select by name
// is made for the first of them.
void number_pools(std::vector<Workload>& workloads);

}  // namespace tpuwh::server::explain
