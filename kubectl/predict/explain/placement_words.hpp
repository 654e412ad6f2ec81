// Where the members of a slice will stand, in words.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "server/text/json.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::explain {

// A sentence for each thing that decides it: who keeps the hosts together, what they select, who
// admits them first.
//
//   pod     a member as it is stored: with the terms that the webhook wrote
//   prefix  Config::prefix
//   queued  its workload is in a queue of Kueue
std::vector<std::string> placement_words(const Json& pod, const slices::SeenPod& seen,
                                         std::string_view prefix, bool queued);

// The key of the Job, where JobSet keeps the single-host slices of each Job on a node pool of its
// own; "" where it does not.
std::string job_on_its_own_pool(const Json& pod, const slices::SeenPod& seen);

// A slice that is put together from blocks on demand.
bool is_made_of_blocks(const Json& pod, const slices::SeenPod& seen);

}  // namespace tpuwh::server::explain
