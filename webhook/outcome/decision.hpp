// What becomes of a review.
#pragma once

#include "topology/result.hpp"
#include "webhook/outcome/notes.hpp"
#include "webhook/outcome/summary.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace tpuwh::webhook::outcome {

struct Decision {
  Outcome outcome = Outcome::unchanged;
  Reason reason = Reason::not_a_pod;
  std::string_view workload = {};
  Error denial = {};         // of Outcome::denied and deferred
  bool shadow = false;       // by the mode that holds: the answer allows the Pod unchanged
  bool retry_now = true;     // of deferred: PlaceAnswer::retry_now
  bool asks_ledger = false;  // Outcome::deferred, and the ledger has not been asked
};

inline Decision unchanged(Reason reason) {
  return {.outcome = Outcome::unchanged, .reason = reason};
}
inline Decision deny(Reason reason, Error why) {
  return {.outcome = Outcome::denied, .reason = reason, .denial = std::move(why)};
}
// Says why nothing was done, and does nothing.
inline Decision leave_alone(Reason reason, std::string why, Notes& notes) {
  notes.warn(std::move(why), Notes::Consequence::not_injected);
  return unchanged(reason);
}

}  // namespace tpuwh::webhook::outcome
