#include "webhook/outcome/decision.hpp"

namespace tpuwh::webhook::outcome {

std::optional<findings::Finding> finding_of(Errc code) {
  using enum findings::Finding;
  switch (code) {
    case Errc::dims_empty:
    case Errc::dims_malformed:
    case Errc::dims_upper_case:
    case Errc::dims_zero:
    case Errc::dims_negative:
    case Errc::dims_too_large:
      return topology_malformed;
    case Errc::not_filled_in:
      return placeholder_left;
    case Errc::chips_invalid:
      return chips_invalid;
    case Errc::chips_not_dividing:
    case Errc::bounds_not_dividing:
      return topology_not_divisible;
    case Errc::index_out_of_range:
      return index_out_of_range;
    case Errc::name_too_long:
    case Errc::bad_name:
      return name_invalid;
    case Errc::env_too_long:
      return too_long;
    case Errc::none:
    case Errc::empty_body:
    case Errc::too_large:
    case Errc::too_deep:
    case Errc::bad_json:
    case Errc::duplicate_key:
    case Errc::wrong_type:
    case Errc::bad_value:
    case Errc::not_a_review:
    case Errc::api_access:
    case Errc::internal:
      break;
  }
  return std::nullopt;
}

}  // namespace tpuwh::webhook::outcome
