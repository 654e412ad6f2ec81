// Why the node pool on which a slice has begun cannot hold the rest of it.
#pragma once

#include "server/slices/slice_report.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::slices {

// A sentence's part for each thing that is wrong there: "node x is cordoned", "node y is held by
// Pod ml/other", "the pool has 3 of 4 nodes". None where the rest fits, where nothing has begun,
// and where nothing is known.
std::vector<std::string> pool_troubles(const SliceReport& slice, const Cluster& cluster);

}  // namespace tpuwh::server::slices
