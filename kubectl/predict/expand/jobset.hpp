// Pods of a JobSet: those of its Jobs, with its labels, and what its Pod webhook makes of them.
//   source  kubernetes-sigs/jobset pkg/controllers/jobset_controller.go,
//           pkg/webhooks/{jobset,pod}_webhook.go, v0.12.0
#pragma once

#include "kubectl/predict/expand/children.hpp"
#include "kubectl/predict/expand/pod_template.hpp"

#include <cstdint>

namespace tpuwh::server::expand {

std::uint64_t count_jobset(const Json& jobset);
Result<void> expand_jobset(const Parent& jobset, const ExpandOptions& options, const Visit& visit);

// Its headless Service, then a Job of each replicated job.
Result<Children> children_of_jobset(const Parent& jobset);

}  // namespace tpuwh::server::expand
