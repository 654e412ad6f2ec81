// The verdict about an object, from all that was found.
#pragma once

#include "server/explain/explanation.hpp"

namespace tpuwh::server::explain {

// Sets Workload::verdict and Workload::sentence.
void conclude(Workload& workload);

// "2 slices of 4x4 on tpu-v6e-slice: 8 Pods on 8 nodes, 32 chips"
std::string slices_words(const Group& group);

}  // namespace tpuwh::server::explain
