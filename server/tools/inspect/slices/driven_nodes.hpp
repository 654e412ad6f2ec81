// What the TPU DRA driver says of its nodes.
#pragma once

#include "server/tools/inspect/slices/cluster.hpp"

#include <nlohmann/json_fwd.hpp>

namespace tpuwh::server::slices {

// Of a ResourceSlice of device class tpu.google.com's driver; of another, nothing.
//
//   source  k8s.io/api/resource/v1 and v1beta1 types.go, v1.37.2: Device; docs/facts.md#dra
void add_driven_node(const nlohmann::ordered_json& slice, Cluster& cluster);

}  // namespace tpuwh::server::slices
