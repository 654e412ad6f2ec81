// The worker groups of a RayCluster, and of what holds one: RayJob, RayService.
#pragma once

#include "webhook/validate/checker.hpp"

namespace tpuwh::webhook::validate {

// `spec` is that of a RayCluster. False where it cannot be read: the reader says why.
//
//   source  ray-operator/apis/ray/v1 RayClusterSpec; what is known to go wrong:
//           docs/facts.md#kuberay-validation
bool check_ray_cluster(Checker& checker, base::json::Reader::Mark spec);
// `spec` of a RayJob (rayClusterSpec, absent where it runs on another cluster), of a
// RayService (rayClusterConfig).
bool check_ray_job(Checker& checker, base::json::Reader::Mark spec);
bool check_ray_service(Checker& checker, base::json::Reader::Mark spec);

}  // namespace tpuwh::webhook::validate
