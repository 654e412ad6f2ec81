#include "webhook/outcome/decision.hpp"

#include "topology/errc.hpp"
#include "webhook/findings/errc.hpp"

namespace tpuwh::webhook::outcome {

namespace {

using findings::Finding;

std::optional<Finding> finding_of(topology::Errc code) {
  switch (code) {
    case topology::Errc::dims_empty:
    case topology::Errc::dims_malformed:
    case topology::Errc::dims_upper_case:
    case topology::Errc::dims_zero:
    case topology::Errc::dims_negative:
    case topology::Errc::dims_too_large:
      return Finding::topology_malformed;
    case topology::Errc::chips_invalid:
      return Finding::chips_invalid;
    case topology::Errc::chips_not_dividing:
    case topology::Errc::bounds_not_dividing:
      return Finding::topology_not_divisible;
  }
  return std::nullopt;
}

std::optional<Finding> finding_of(findings::Errc code) {
  switch (code) {
    case findings::Errc::not_a_review:
      return std::nullopt;
    case findings::Errc::not_chips:
      return Finding::chips_invalid;
    case findings::Errc::index_out_of_range:
      return Finding::index_out_of_range;
    case findings::Errc::name_too_long:
    case findings::Errc::bad_name:
      return Finding::name_invalid;
    case findings::Errc::not_filled_in:
      return Finding::placeholder_left;
    case findings::Errc::env_too_long:
      return Finding::too_long;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> finding_of(ErrorCode code) {
  if (const auto of_topology = code.as<topology::Errc>()) return finding_of(*of_topology);
  if (const auto ours = code.as<findings::Errc>()) return finding_of(*ours);
  return std::nullopt;
}

}  // namespace tpuwh::webhook::outcome
