// The specification of a resource claim, and what it asks for as far as chips are concerned.
#pragma once

#include "base/json/reader.hpp"
#include "server/kube/store/device_selector.hpp"
#include "webhook/read/cluster.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::kube::store {

// Devices of one class.
struct DeviceRequest {
  std::string device_class = {};
  std::uint32_t count = 1;
  bool all = false;    // that a node has, instead of a number
  bool admin = false;  // access to devices that others have
  SelectedChips selected = {};
};

// The requests of a claim, each with its alternatives: one where it has none.
using ClaimSpec = std::vector<std::vector<DeviceRequest>>;

// Reads the `spec` of a ResourceClaim, v1 or a beta of it. False where it is not JSON.
//
//   source  k8s.io/api/resource/v1 types.go, v1.36.3: DeviceRequest, DeviceSubRequest
bool read_claim_spec(base::json::Reader& in, ClaimSpec& out);

// What the selectors of a DeviceClass say; null where there is none of that name.
using FindClass = std::function<const SelectedChips*(std::string_view)>;

//   chips   of device class tpu.google.com, and of each request of which selectors, its own or its
//           class's, say that its devices are the TPU DRA driver's. Those of requests with
//           adminAccess are left out: they give no chips to anybody. A class that is not known has
//           none, and `why` names it
//   all     that a node has (allocationMode All), where no selector says how many that is
//   no      of several alternatives (firstAvailable) that have not the same number
webhook::read::Claimed asked_by(const ClaimSpec& spec, const FindClass& find_class);

// Whether it is another where another class is known.
bool depends_on_classes(const ClaimSpec& spec);

}  // namespace tpuwh::server::kube::store
