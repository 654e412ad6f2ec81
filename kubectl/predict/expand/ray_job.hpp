// Pods of a RayJob: those of its RayCluster, then the one that submits it.
//   source  ray-project/kuberay ray-operator/controllers/ray/rayjob_controller.go, v1.6.2
#pragma once

#include "kubectl/predict/expand/children.hpp"
#include "kubectl/predict/expand/pod_template.hpp"

#include <cstdint>

namespace tpuwh::server::expand {

std::uint64_t count_ray_job(const Json& job);
Result<void> expand_ray_job(const Parent& job, const ExpandOptions& options, const Visit& visit);

// Its RayCluster with what comes of that, and the Job that submits.
Result<Children> children_of_ray_job(const Parent& job);

}  // namespace tpuwh::server::expand
