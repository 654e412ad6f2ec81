#include "webhook/answer/respond.hpp"

#include "webhook/write/patch.hpp"

#include <string>

namespace tpuwh::webhook::answer {

namespace {

// 422 with reason Invalid: what the Pod says is wrong. A 5xx inside the status would
// make controllers retry as after a failure of the server (docs/facts.md#admission-answer).
constexpr unsigned denied_code = 422;

using write::as_string;
using write::Json;

// A sentence for a person, on one line: kube-apiserver drops a warning with a control character
// (docs/facts.md#warnings), and kubectl prints what it gets to a terminal. Ours are ASCII; of what
// is not, some moves a cursor or turns a line around, too.
std::string on_one_line(std::string sentence) {
  for (char& c : sentence)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  return sentence;
}

void append_denial(const std::string& why, Json& out) {
  out << "\"allowed\":false,\"status\":{\"metadata\":{},\"status\":\"Failure\",\"message\":"
      << as_string(on_one_line(why)) << ",\"reason\":\"Invalid\",\"code\":" << denied_code << "}";
}

void append_patch(write::Patch& patch, Json& out) {
  out << ",\"patchType\":\"JSONPatch\",\"patch\":\"";
  patch.encode(out);
  out << "\"";
}

void append_warnings(const outcome::Notes& notes, Json& out) {
  if (notes.warnings().empty()) return;
  out << ",\"warnings\":[";
  bool first = true;
  for (const outcome::Notes::Warning& warning : notes.warnings()) {
    if (!first) out << ",";
    first = false;
    out << as_string(on_one_line(outcome::text_of(warning)));
  }
  out << "]";
}

// Keys become "<webhook name>/<key>" in the audit log, so they have no slash.
void append_audit(const outcome::Decision& decision, const decide::Told& told, Json& out) {
  if (decision.workload.empty()) return;
  out << ",\"auditAnnotations\":{\"reason\":" << as_string(outcome::name(decision.reason));
  if (decision.shadow) out << ",\"mode\":\"shadow\"";
  if (!told.description.empty()) out << ",\"slice\":" << as_string(told.description.view());
  out << "}";
}

}  // namespace

void respond(const read::Review& review, const outcome::Decision& decision, decide::Told& told,
             Json& out) {
  out.clear();
  out << "{\"kind\":\"AdmissionReview\",\"apiVersion\":" << as_string(review.api_version)
      << ",\"response\":{\"uid\":" << as_string(review.uid) << ",";
  if (decision.outcome == outcome::Outcome::denied && !decision.shadow) {
    append_denial(outcome::denial_text(decision), out);
  } else {
    out << "\"allowed\":true";
    if (decision.outcome == outcome::Outcome::patched && !decision.shadow)
      append_patch(told.patch, out);
  }
  append_warnings(told.notes, out);
  append_audit(decision, told, out);
  out << "}}\n";
}

void respond_status(unsigned code, std::string_view reason, std::string_view message, Json& out) {
  out.clear();
  out << "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
         "\"message\":"
      << as_string(on_one_line(std::string(message))) << ",\"reason\":" << as_string(reason)
      << ",\"code\":" << code << "}\n";
}

std::string status_text(unsigned code, std::string_view reason, std::string_view message) {
  Json out;
  respond_status(code, reason, message, out);
  return std::string(out.view());
}

}  // namespace tpuwh::webhook::answer
