// What an answer tells, in its parts.
#pragma once

#include "kubectl/fixes/fix.hpp"
#include "kubectl/review/outcome.hpp"
#include "kubectl/review/reviewer.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::review {

struct Remark {
  bool denied = false;   // else a warning
  std::string id;        // "TPU-302", "" where it has none
  std::string sentence;  // without the id
  fixes::Fix fix = {};   // a choice, as the table of findings has it
};

// "TPU-405: completions is 1" in its parts; a text without an id is a sentence alone.
Remark remark_of(const std::string& text, bool denied);
Remark remark_of(const webhook::validate::Found& fault);

// All that is told of an input, denials first, with fixes that were tried: the answer to the object
// that they make. `review` is the text that was answered.
std::vector<Remark> all_remarks(const ReviewOutcome& outcome, const std::string& review,
                                Reviewer& reviewer, const std::string& prefix);

}  // namespace tpuwh::server::review
