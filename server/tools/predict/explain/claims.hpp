// Chips that Pods ask for by resource claim (DRA), where nobody could count them: all that a node
// has, the first of several kinds, a claim that several share.
#pragma once

#include "server/tools/predict/explain/explanation.hpp"
#include "server/tools/predict/explain/surroundings.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace tpuwh::server::explain {

// What is known of the claims of a Pod in which no chips were found (webhook/read/claims.hpp).
// Nothing where none of its containers uses one, or where all are known to be for other devices.
//
//   beside  has the ResourceClaimTemplates, ResourceClaims and DeviceClasses of the input
//   source  k8s.io/api/resource/v1 types.go, v1.36.3: DeviceRequest; docs/facts.md#dra
std::optional<Claimed> claimed_chips(const nlohmann::ordered_json& pod, const Surroundings& beside);

}  // namespace tpuwh::server::explain
