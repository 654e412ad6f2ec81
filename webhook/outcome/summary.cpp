#include "webhook/outcome/summary.hpp"

#include "base/enum_names.hpp"

namespace tpuwh::webhook::outcome {

namespace {

constexpr base::EnumNames<Outcome::failed> outcomes("patched", "unchanged", "denied", "unusable",
                                                    "deferred", "failed");
constexpr base::EnumNames<Reason::internal_error> reasons(
    "injected", "already_done", "not_a_pod", "no_tpu", "switched_off", "opted_out", "single_host",
    "no_identity", "no_place", "no_claim", "no_topology", "no_subdomain", "inconsistent",
    "bad_topology", "bad_index", "bad_name", "too_long", "bad_quantity", "forbidden", "checked",
    "never_works", "unreadable", "too_large", "internal_error");

}  // namespace

std::string_view name(Outcome outcome) {
  return outcomes[outcome];
}

std::string_view name(Reason reason) {
  return reasons[reason];
}

}  // namespace tpuwh::webhook::outcome
