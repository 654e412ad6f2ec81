// The specification of a resource claim, as far as chips are concerned.
#pragma once

#include "base/json/reader.hpp"
#include "webhook/read/cluster.hpp"

namespace tpuwh::server::kube::store {

// Reads the `spec` of a ResourceClaim, v1 or a beta of it. False where it is not JSON.
//
//   chips   of device class tpu.google.com, those of requests with adminAccess left out: they give
//           no chips to anybody. All that a node has (allocationMode All) only where a selector
//           says how many that is
//   no      of several alternatives (firstAvailable) that have not the same number
//   source  k8s.io/api/resource/v1 types.go, v1.36.3: DeviceRequest, DeviceSubRequest
bool read_claim_spec(base::json::Reader& in, webhook::read::Claimed& out);

}  // namespace tpuwh::server::kube::store
