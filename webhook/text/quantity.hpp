// Kubernetes quantities, as far as counting chips needs them: "4", "4e0", "4000m",
// "0.004k" are all four. Source: k8s.io/apimachinery pkg/api/resource, "Quantity".
#pragma once

#include "topology/result.hpp"

#include <cstdint>
#include <string_view>

namespace tpuwh::webhook::text {

// A whole, non-negative number of chips.
//
//   text    a quantity: [+-] digits [. digits] then one of n u m, k M G T P E,
//           Ki Mi Gi Ti Pi Ei, or e/E and a decimal exponent
//   errors  bad_value for what is not a quantity, and for one that is negative, not
//           a whole number, or above 2^53; the message shows the text
Result<std::uint64_t> chip_count(std::string_view text);

}  // namespace tpuwh::webhook::text
