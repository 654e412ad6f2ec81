// Which Pods a ResourceQuota with scopes counts.
//   source  https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-scopes (read
//   2026-11);
//           kubernetes pkg/quota/v1/evaluator/core/pods.go, v1.37.2
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace tpuwh::server::trial {

bool has_scopes(const nlohmann::ordered_json& quota);

// Whether all its scopes are those of a Pod: Terminating, NotTerminating, BestEffort,
// NotBestEffort, PriorityClass; true without scopes. Nothing for a scope that is not looked at:
// affinity across namespaces differs between Pods of one template.
//
//   pod  as it would be stored, since a PriorityClass and limits may come from defaults
std::optional<bool> counts_pod(const nlohmann::ordered_json& quota,
                               const nlohmann::ordered_json& pod);

// "PriorityClass In high, low", "BestEffort and Terminating"
std::string scope_words(const nlohmann::ordered_json& quota);

}  // namespace tpuwh::server::trial
