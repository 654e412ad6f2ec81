// Kubernetes quantities of any kind: "500m" CPUs, "16G" bytes, "4" chips.
#pragma once

#include "server/text/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::objects {

struct Quantity {
  std::int64_t rounded_up;  // as Quantity.Value of k8s.io/apimachinery has it; the largest at most
  double value;
};

// Nothing for what is no quantity.
//   source  k8s.io/apimachinery pkg/api/resource/quantity.go, v0.36.3
std::optional<Quantity> parse_quantity(std::string_view text);

// The same of a value in a resource list, which may be a number.
std::optional<Quantity> quantity_of(const Json* value);

// As it stands in JSON that Go prints: "4", "0.5".
std::string go_number(double value);

}  // namespace tpuwh::server::objects
