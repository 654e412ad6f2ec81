// Pods of a LeaderWorkerSet: a StatefulSet of leaders and, for each of them, one of its workers,
// and what its Pod webhook makes of them.
//   source  kubernetes-sigs/lws pkg/controllers/{leaderworkerset,pod}_controller.go,
//           pkg/webhooks/pod_webhook.go, v0.9.0
#pragma once

#include "kubectl/predict/expand/children.hpp"
#include "kubectl/predict/expand/pod_template.hpp"

#include <cstdint>

namespace tpuwh::server::expand {

std::uint64_t count_lws(const Json& lws);
Result<void> expand_lws(const Parent& lws, const ExpandOptions& options, const Visit& visit);

// The StatefulSet of leaders, that of the workers of the first group, and the Service of their
// names.
Result<Children> children_of_lws(const Parent& lws);

}  // namespace tpuwh::server::expand
