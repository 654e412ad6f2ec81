// Away from node pools that cannot hold the slice whole: terms keep a slice together and do not
// find a pool for it (docs/decisions/0023).
#pragma once

#include "base/name_list.hpp"
#include "webhook/config/config.hpp"
#include "webhook/facts/facts.hpp"
#include "webhook/placement/placement.hpp"
#include "webhook/read/cluster.hpp"

namespace tpuwh::webhook::placement {

// Names of the pools that the Pod is to avoid; none where it is not to be told, or nothing is
// known.
void find_unfit_pools(const facts::Facts& facts, const Placement& placement,
                      const config::Config& config, const read::ClusterView& cluster,
                      base::NameList& out);

}  // namespace tpuwh::webhook::placement
