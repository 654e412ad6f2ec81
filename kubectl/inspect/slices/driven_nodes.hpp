// What the TPU DRA driver says of its nodes.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "server/text/json.hpp"

#include <string>
#include <string_view>

namespace tpuwh::server::slices {

// Of a ResourceSlice of device class tpu.google.com's driver; of another, nothing.
//
//   source  k8s.io/api/resource/v1 and v1beta1 types.go, v1.37.2: Device; docs/facts.md#dra
void add_driven_node(const Json& slice, Cluster& cluster);

// Of what the driver takes the node of a member for.
enum class Taken {
  same,
  alone,  // for a slice of its own, of one host
  other,  // for a part of another slice
  not_known
};
// node  null where no ResourceSlice is of it
Taken taken_for(const DrivenNode* node, std::string_view topology, bool multi_host);

// "the driver of claims takes node a for 4 chips of 2x2"
std::string described(std::string_view name, const DrivenNode& node);

// Null where no ResourceSlice is of it.
const DrivenNode* find_driven(const DrivenNodes& nodes, std::string_view name);

}  // namespace tpuwh::server::slices
