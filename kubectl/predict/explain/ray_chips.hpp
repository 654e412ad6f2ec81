// TPUs that a group of Ray tells of by itself, beside what its container asks for.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "server/text/json.hpp"

#include <vector>

namespace tpuwh::server::explain {

// Of the head and the worker groups of a RayCluster, RayJob or RayService, a finding for each whose
// number is another; none for another object, and none where Ray is told of no TPU.
//
//   source  ray python/ray/_private/resource_spec.py (2.60.0): what is told goes before what is
//           found
std::vector<Finding> ray_chip_faults(const Json& object);

}  // namespace tpuwh::server::explain
