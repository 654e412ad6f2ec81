// Which Pods a ResourceQuota with scopes counts.
//   source  https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-scopes (read
//   2026-11);
//           kubernetes pkg/quota/v1/evaluator/core/pods.go, v1.37.2
#pragma once

#include "server/text/json_text.hpp"

#include <optional>
#include <string>

namespace tpuwh::server::trial {

bool has_scopes(const Json& quota);

// Whether all its scopes are those of a Pod: Terminating, NotTerminating, BestEffort,
// NotBestEffort, PriorityClass; true without scopes. Nothing for a scope that is not looked at:
// affinity across namespaces differs between Pods of one template.
//
//   pod  as it would be stored, since a PriorityClass and limits may come from defaults
std::optional<bool> counts_pod(const Json& quota, const Json& pod);

// "PriorityClass In high, low", "BestEffort and Terminating"
std::string scope_words(const Json& quota);

}  // namespace tpuwh::server::trial
