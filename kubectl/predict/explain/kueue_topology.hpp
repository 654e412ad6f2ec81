// Whether Kueue's topology-aware scheduling, as the Pods ask for it, can ever place them.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "server/text/json.hpp"

#include <optional>

namespace tpuwh::server::explain {

// A Pod set is a group with all its slices: asked onto one node pool, which holds one of them, or
// onto one node, it is never admitted. Of other levels of a topology nothing is known here.
//
//   member  a Pod of the group
//   source  kueue pkg/controller/jobs/jobset/jobset_controller.go, raycluster/common.go (ff69552);
//           docs/facts.md#one-slice-a-pool
std::optional<Finding> topology_fault(const Json& member, const Group& group);

}  // namespace tpuwh::server::explain
