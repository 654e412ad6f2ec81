// Chips that Pods ask for by resource claim (DRA), where nobody could count them: all that a node
// has, the first of several kinds, a claim that several share.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/predict/explain/surroundings.hpp"
#include "server/text/json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::explain {

// What is known of the claims of a Pod in which no chips were found (webhook/read/claims.hpp).
// Nothing where none of its containers uses one, or where all are known to be for other devices.
//
//   beside  has the ResourceClaimTemplates, ResourceClaims and DeviceClasses of the input
//   source  k8s.io/api/resource/v1 types.go, v1.36.3: DeviceRequest; docs/facts.md#dra
std::optional<Claimed> claimed_chips(const Json& pod, const Surroundings& beside);

// The resource by which a container asks for devices of a class for chips, whatever else that is
// called; "" for none. Only google.com/tpu is read.
//
//   source  k8s.io/api/resource/v1 types.go, v1.37.2: ResourceDeviceClassPrefix;
//           docs/facts.md#dra-extended-resource
std::string unread_resource(const Json& pod, const Surroundings& beside);

// Names of the ResourceClaims for chips that its containers use, as far as the input has them.
std::vector<std::string> named_claims(const Json& pod, const Surroundings& beside);

}  // namespace tpuwh::server::explain
