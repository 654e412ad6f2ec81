// The answer's bytes, written straight into a buffer: an AdmissionReview, or a v1
// Status where the request could not be read. docs/contract.md; the rules of what
// the API server accepts are in docs/facts.md#admission-answer.
#pragma once

#include "webhook/decide/decide.hpp"
#include "webhook/write/json.hpp"

#include <string>
#include <string_view>

namespace tpuwh::webhook::answer {

// An AdmissionReview answer, with apiVersion and uid as they came.
void respond(const read::Review& review, const outcome::Decision& decision, decide::Told& told,
             write::Json& out);

// {"kind":"Status",…}: kube-apiserver shows the message to the user.
//   reason  "BadRequest", "RequestEntityTooLarge", "InternalError"
void respond_status(unsigned code, std::string_view reason, std::string_view message,
                    write::Json& out);
// The same as a text of its own.
std::string status_text(unsigned code, std::string_view reason, std::string_view message);

}  // namespace tpuwh::webhook::answer
