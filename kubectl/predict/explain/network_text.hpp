// The NetworkPolicies of an explanation's slices, as YAML for `kubectl apply`.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/text/printed.hpp"

namespace tpuwh::server::explain {

// A document for each network, with comments: which ports it admits and why, and which Pods have
// none.
text::Printed network_text(const Explanation& explanation);

}  // namespace tpuwh::server::explain
