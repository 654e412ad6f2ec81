// A worker Pod of a RayCluster: a slice is one replica of a worker group. Where KubeRay writes no
// index labels, the ledger gives the Pod its place.
//
// source: docs/facts.md#kuberay-indices
#pragma once

#include "webhook/workloads/table.hpp"

namespace tpuwh::webhook::workloads {

extern const Workload ray_workload;

}  // namespace tpuwh::webhook::workloads
