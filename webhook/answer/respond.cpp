#include "webhook/answer/respond.hpp"

#include "webhook/write/patch.hpp"

namespace tpuwh::webhook::answer {

namespace {

// 422 with reason Invalid: what the Pod says is wrong. A 5xx inside the status would
// make controllers retry as after a failure of the server (docs/facts.md#admission-answer).
constexpr unsigned denied_code = 422;
constexpr std::string_view denied_reason = "Invalid";

void append_denial(const std::string& why, text::Buffer& out) {
  out.append("\"allowed\":false,\"status\":{\"metadata\":{},\"status\":\"Failure\",\"message\":");
  write::append_json_string(out, why);
  out.add(",\"reason\":\"", denied_reason, "\",\"code\":", denied_code, '}');
}

void append_patch(write::Patch& patch, text::Buffer& out) {
  out.append(",\"patchType\":\"JSONPatch\",\"patch\":\"");
  patch.encode(out);
  out.append('"');
}

void append_warnings(const outcome::Notes& notes, text::Buffer& out) {
  if (notes.warnings().empty()) return;
  out.append(",\"warnings\":[");
  bool first = true;
  for (const outcome::Notes::Warning& warning : notes.warnings()) {
    if (!first) out.append(',');
    first = false;
    write::append_json_string(out, outcome::text_of(warning));
  }
  out.append(']');
}

// Keys become "<webhook name>/<key>" in the audit log, so they have no slash.
void append_audit(const outcome::Decision& decision, const decide::Scratch& scratch,
                  text::Buffer& out) {
  if (decision.workload.empty()) return;
  out.add(",\"auditAnnotations\":{\"reason\":\"", outcome::name(decision.reason), '"');
  if (decision.shadow) out.append(",\"mode\":\"shadow\"");
  if (!scratch.description.empty()) {
    out.add(",\"slice\":\"", scratch.description.view(), '"');  // printable()
  }
  out.append('}');
}

}  // namespace

void respond(const read::Review& review, const outcome::Decision& decision,
             decide::Scratch& scratch, text::Buffer& out) {
  out.clear();
  out.append("{\"kind\":\"AdmissionReview\",\"apiVersion\":");
  write::append_json_string(out, review.api_version);
  out.append(",\"response\":{\"uid\":");
  write::append_json_string(out, review.uid);
  out.append(',');
  if (decision.outcome == outcome::Outcome::denied && !decision.shadow) {
    append_denial(outcome::denial_text(decision), out);
  } else {
    out.append("\"allowed\":true");
    if (decision.outcome == outcome::Outcome::patched && !decision.shadow)
      append_patch(scratch.patch, out);
  }
  append_warnings(scratch.notes, out);
  append_audit(decision, scratch, out);
  out.append("}}\n");
}

void respond_status(unsigned code, std::string_view reason, std::string_view message,
                    text::Buffer& out) {
  out.clear();
  out.append(
      "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
      "\"Failure\",\"message\":");
  write::append_json_string(out, message);
  out.add(",\"reason\":\"", reason, "\",\"code\":", code, "}\n");
}

}  // namespace tpuwh::webhook::answer
