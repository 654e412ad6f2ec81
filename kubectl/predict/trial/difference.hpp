// Where what a running webhook made of a Pod is other than what this program would make of it.
#pragma once

#include "server/text/json_text.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::trial {

// Of what the webhook writes alone: the variables that it knows, its labels and annotations, and
// affinity. A sentence each: "TPU_WORKER_ID of container main is 1, and 0 by this program".
//
//   theirs  the Pod as the API server would store it
//   ours    the same as this program would leave it
//   prefix  of our labels and annotations
std::vector<std::string> differences(const Json& theirs, const Json& ours,
                                     const std::string& prefix);

}  // namespace tpuwh::server::trial
