// JAX_NUM_PROCESSES, JAX_PROCESS_ID and JAX_COORDINATOR_ADDRESS that a template sets itself, as
// Kubeflow Trainer's does, held against the Pod's place: jax.distributed takes them before anything
// of ours.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "kubectl/predict/explain/explanation.hpp"
#include "server/text/json.hpp"

#include <optional>

namespace tpuwh::server::explain {

// Where they contradict it: a number of processes that is neither the slice's nor that of all its
// job's slices, an id that is not this Pod's among so many, the address of a host that is not that
// of process 0. Of a value that is not known (a ConfigMap's, "$(NAME)") nothing is said; a fieldRef
// to the Pod's own label or annotation is.
std::optional<Finding> jax_fault(const Json& pod, const slices::SeenPod& seen);

}  // namespace tpuwh::server::explain
