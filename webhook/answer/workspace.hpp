// What a Workspace holds, and the answers that need no decision: shared by admit() and
// validate(), for nobody else.
#pragma once

#include "base/buffer.hpp"
#include "base/json/reader.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/decide/decide.hpp"
#include "webhook/read/claims.hpp"
#include "webhook/read/review.hpp"
#include "webhook/write/json.hpp"

namespace tpuwh::webhook::answer {

struct Workspace::Impl {
  base::json::Reader reader;
  read::Review review;
  read::Pod pod;
  read::TakenClaims claims;
  decide::Kept kept;
  decide::Told told;
  write::Json answer;
  base::Buffer owner;

  // Before each review, whatever it is: nothing of the one before is left to be read, since all
  // views into it died with its body. What a review does not have stays empty in this way.
  void begin() {
    review = {};
    pod.clear();
    told.clear();
  }
};

// What every answer's summary says of its review and its decision.
outcome::Summary summary_of(const read::Review& review, const outcome::Decision& decision);

// A request that cannot be read is not a policy decision: an HTTP error lets the
// failurePolicy of the configuration decide (docs/decisions/0014).
Answer refuse(const Error& why, Workspace::Impl& work);

// Something was thrown that nobody expected. The object goes through as it is, with a
// warning; if not even its uid is known there is no review to answer. May throw itself.
Answer admit_after_exception(Workspace::Impl& work);

// When there is no memory even for that.
Answer out_of_memory() noexcept;

// What `answer` returns, or one of the above when it throws.
template <class F>
Answer never_throwing(Workspace::Impl& work, F&& answer) noexcept {
  try {
    return answer();
  } catch (...) {
  }
  try {
    return admit_after_exception(work);
  } catch (...) {
    return out_of_memory();
  }
}

}  // namespace tpuwh::webhook::answer
