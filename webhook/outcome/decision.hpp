// What becomes of a review.
#pragma once

#include "base/result.hpp"
#include "webhook/outcome/notes.hpp"
#include "webhook/outcome/summary.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tpuwh::webhook::outcome {

struct Decision {
  Outcome outcome = Outcome::unchanged;
  Reason reason = Reason::not_a_pod;
  std::string_view workload = {};
  Error denial = {};                              // of Outcome::denied and deferred
  std::optional<findings::Finding> finding = {};  // of Outcome::denied
  bool shadow = false;       // by the mode that holds: the answer allows the Pod unchanged
  bool retry_now = true;     // of deferred: PlaceAnswer::retry_now
  bool asks_ledger = false;  // Outcome::deferred, and the ledger has not been asked
};

inline Decision unchanged(Reason reason) {
  return {.outcome = Outcome::unchanged, .reason = reason};
}
// What a denial of this error is called; nothing for an error that is not about an object.
std::optional<findings::Finding> finding_of(ErrorCode code);
inline Decision deny(Reason reason, Error why) {
  const auto finding = finding_of(why.code());
  return {
      .outcome = Outcome::denied, .reason = reason, .denial = std::move(why), .finding = finding};
}
// Says why nothing was done, and does nothing.
inline Decision leave_alone(findings::Finding finding, Reason reason, std::string why,
                            Notes& notes) {
  notes.warn(finding, std::move(why), Notes::Consequence::not_injected);
  return unchanged(reason);
}
// Why the object is refused, with the finding's id.
inline std::string denial_text(const Decision& decision) {
  return decision.finding ? with_id(*decision.finding, decision.denial.text())
                          : decision.denial.text();
}

}  // namespace tpuwh::webhook::outcome
