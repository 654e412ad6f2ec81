#include "webhook/answer/respond.hpp"

#include "webhook/write/patch.hpp"

namespace tpuwh::webhook {

namespace {

// 422 with reason Invalid: what the Pod says is wrong. A 5xx inside the status would
// make controllers retry as if the server were ill (reference/contract.md A.4).
constexpr unsigned denied_code = 422;
constexpr std::string_view denied_reason = "Invalid";

void append_denial(const Error& why, Buffer& out) {
  out.append(std::string_view(
      "\"allowed\":false,\"status\":{\"metadata\":{},\"status\":\"Failure\",\"message\":"));
  append_json_string(out, why.text());
  out.add(std::string_view(",\"reason\":\""), denied_reason, std::string_view("\",\"code\":"),
          denied_code, '}');
}

void append_patch(Patch& patch, Buffer& out) {
  out.append(std::string_view(",\"patchType\":\"JSONPatch\",\"patch\":\""));
  patch.encode(out);
  out.append('"');
}

void append_warnings(const Notes& notes, Buffer& out) {
  if (notes.warnings().empty()) return;
  out.append(std::string_view(",\"warnings\":["));
  bool first = true;
  for (const std::string& warning : notes.warnings()) {
    if (!first) out.append(',');
    first = false;
    append_json_string(out, warning);
  }
  out.append(']');
}

// Keys become "<webhook name>/<key>" in the audit log, so they have no slash.
void append_audit(const Decision& decision, const Scratch& scratch, Buffer& out) {
  if (decision.workload.empty()) return;
  out.add(std::string_view(",\"auditAnnotations\":{\"reason\":\""), name(decision.reason), '"');
  if (decision.shadow) out.append(std::string_view(",\"mode\":\"shadow\""));
  if (!scratch.description.empty()) {
    out.append(std::string_view(",\"slice\":"));
    append_json_string(out, scratch.description.view());
  }
  out.append('}');
}

}  // namespace

void respond(const Review& review, const Decision& decision, Scratch& scratch, Buffer& out) {
  out.clear();
  out.append(std::string_view("{\"kind\":\"AdmissionReview\",\"apiVersion\":"));
  append_json_string(out, review.api_version);
  out.append(std::string_view(",\"response\":{\"uid\":"));
  append_json_string(out, review.uid);
  out.append(',');
  if (decision.outcome == Outcome::denied && !decision.shadow) {
    append_denial(decision.denial, out);
  } else {
    out.append(std::string_view("\"allowed\":true"));
    if (decision.outcome == Outcome::patched && !decision.shadow) append_patch(scratch.patch, out);
  }
  append_warnings(scratch.notes, out);
  append_audit(decision, scratch, out);
  out.append(std::string_view("}}\n"));
}

void respond_status(unsigned code, std::string_view reason, std::string_view message, Buffer& out) {
  out.clear();
  out.append(
      std::string_view("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                       "\"Failure\",\"message\":"));
  append_json_string(out, message);
  out.add(std::string_view(",\"reason\":\""), reason, std::string_view("\",\"code\":"), code,
          std::string_view("}\n"));
}

}  // namespace tpuwh::webhook
