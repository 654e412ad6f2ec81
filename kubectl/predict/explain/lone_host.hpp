// Host names of others on a Pod that is a slice by itself.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "kubectl/predict/explain/explanation.hpp"

#include <optional>

namespace tpuwh::server::explain {

// TPU_WORKER_HOSTNAMES lists more hosts than the one that the slice has, as LeaderWorkerSet writes
// it for a group of several Pods, whatever their topology. Nothing where ids are the webhook's:
// TPU-502 says it there.
//
//   source  lws v0.9.0 pkg/utils/accelerators/tpu.go; libtpu wants as many names as hosts
//           (docs/facts.md#host-bounds)
std::optional<Finding> lone_host_fault(const slices::SeenPod& seen);

}  // namespace tpuwh::server::explain
