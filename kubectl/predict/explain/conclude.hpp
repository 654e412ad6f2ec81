// The verdict about an object, from all that was found.
#pragma once

#include "kubectl/predict/expand/expand.hpp"
#include "kubectl/predict/explain/explanation.hpp"

namespace tpuwh::server::explain {

// Sets Workload::verdict and Workload::sentence.
void conclude(Workload& workload);

// Of what is scaled to none, by the Pods of one replica of each group: "0 Pods with chips now (0 to
// 16); a replica of group v6e is 1 slice of 4x4 on tpu-v6e-slice: 4 Pods, 16 chips".
//
//   range  least and most, where an autoscaler decides
std::string scaled_words(const Workload& one_replica, const std::optional<expand::PodRange>& range);

// "2 slices of 4x4 on tpu-v6e-slice: 8 Pods on 8 nodes, 32 chips"
std::string slices_words(const Group& group);

}  // namespace tpuwh::server::explain
