// Kubernetes quantities, as far as counting chips needs them: "4", "4e0", "4000m",
// "0.004k" are all four. Source: k8s.io/apimachinery pkg/api/resource, "Quantity".
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tpuwh::webhook::read {

// A text that is no number of chips, and why not. An object may have as many as it has templates:
// the sentence is made where it is said.
struct NotChips {
  std::string_view text;
  std::string_view why;  // "is negative; …"

  // With the text in front, as it may stand in a message.
  std::string message() const;
};

// A whole, non-negative number of chips.
//
//   text    a quantity: [+-] digits [. digits] then one of n u m, k M G T P E,
//           Ki Mi Gi Ti Pi Ei, or e/E and a decimal exponent
//   errors  what is not a quantity, and one that is negative, not a whole number, or above 2^53
boost::system::result<std::uint64_t, NotChips> chip_count(std::string_view text);

}  // namespace tpuwh::webhook::read
