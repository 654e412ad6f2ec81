#include "webhook/outcome/summary.hpp"

#include <array>

namespace tpuwh::webhook::outcome {

namespace {

// In the order of the enums.
constexpr auto outcomes = std::to_array<std::string_view>(
    {"patched", "unchanged", "denied", "unusable", "deferred", "failed"});
constexpr auto reasons = std::to_array<std::string_view>(
    {"injected",    "already_done", "not_a_pod",    "no_tpu",        "switched_off",
     "opted_out",   "single_host",  "no_identity",  "no_place",      "no_claim",
     "no_topology", "no_subdomain", "inconsistent", "bad_topology",  "bad_index",
     "bad_name",    "too_long",     "bad_quantity", "forbidden",     "checked",
     "never_works", "unreadable",   "too_large",    "internal_error"});
static_assert(outcomes.size() == static_cast<std::size_t>(Outcome::failed) + 1);
static_assert(reasons.size() == static_cast<std::size_t>(Reason::internal_error) + 1);

}  // namespace

std::string_view name(Outcome outcome) {
  return outcomes[static_cast<std::size_t>(outcome)];
}

std::string_view name(Reason reason) {
  return reasons[static_cast<std::size_t>(reason)];
}

}  // namespace tpuwh::webhook::outcome
