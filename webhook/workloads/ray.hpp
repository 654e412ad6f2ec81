// A worker Pod of a RayCluster whose KubeRay writes index labels: a slice is one
// replica of a worker group.
//
// source: docs/facts.md#kuberay-indices
#pragma once

#include "webhook/workloads/table.hpp"

namespace tpuwh::webhook::workloads {

extern const Workload ray_workload;

}  // namespace tpuwh::webhook::workloads
