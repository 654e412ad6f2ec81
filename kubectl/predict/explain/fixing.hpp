// Makes the fixes for the findings of explain(), if kubectl/fixes proposes one. Before a fix is
// shown, it is applied to the manifest and explain() runs again.
#pragma once

#include "kubectl/predict/explain/explain.hpp"

namespace tpuwh::server::explain {

// Pods that are looked at again for the fixes of one input, some two seconds; what would take more
// stays a choice.
inline constexpr std::uint64_t max_tried_pods = 4096;

// explain(), without fixes.
using Explaining = Result<Explanation> (*)(const ExplainRequest& request);

// Gives each finding its fix. Of the cluster nothing is asked again: what the input does not show
// cannot be tried, and stays a choice.
void make_fixes(const ExplainRequest& request, Explaining explaining, Explanation& explanation);

}  // namespace tpuwh::server::explain
