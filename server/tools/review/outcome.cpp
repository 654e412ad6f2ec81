#include "server/tools/review/outcome.hpp"

#include "server/text/base64.hpp"
#include "server/text/json_text.hpp"
#include "webhook/answer/respond.hpp"

namespace tpuwh::server::review {

namespace {

using Json = nlohmann::ordered_json;

void name_object(const Json& request, ReviewOutcome& out) {
  const Json& metadata = text::member(out.before, "metadata");
  out.kind = text::text_member(text::member(request, "kind"), "kind");
  out.ns = text::text_member(request, "namespace");
  out.name = text::text_member(request, "name");
  if (out.name.empty()) out.name = text::text_member(metadata, "name");
  const std::string generated = text::text_member(metadata, "generateName");
  if (out.name.empty() && !generated.empty()) out.name = generated + "*";
}

void take_refusal(const Json& status, ReviewOutcome& out) {
  out.code = status.value("code", 0u);
  out.message = status.value("message", "");
}

}  // namespace

ReviewOutcome parse_answer(const webhook::answer::Answer& answer, const std::string& review) {
  ReviewOutcome out;
  out.answer = answer.body;
  out.workload = answer.summary.workload;
  out.reason = answer.summary.reason;
  out.description = answer.summary.description;
  const Json body = text::parse_or_throw(answer.body);
  if (answer.http_status != 200) {
    out.verdict = Verdict::unusable;
    take_refusal(body, out);
    return out;
  }
  const Json request = text::parse_or_throw(review).at("request");
  if (request.contains("object")) out.before = out.after = request["object"];
  name_object(request, out);
  const Json& response = body.at("response");
  if (response.contains("warnings"))
    out.warnings = response["warnings"].get<std::vector<std::string>>();
  if (!response.at("allowed").get<bool>()) {
    out.verdict = Verdict::denied;
    take_refusal(response.at("status"), out);
    return out;
  }
  if (!response.contains("patch")) return out;
  out.patch = text::parse_or_throw(
      text::decode_base64(response["patch"].get_ref<const std::string&>()).value());
  out.after = out.before.patch(out.patch);
  return out;
}

ReviewOutcome unusable(const std::string& message) {
  constexpr unsigned bad_request = 400;
  ReviewOutcome out;
  out.verdict = Verdict::unusable;
  out.code = bad_request;
  out.message = message;
  out.answer = webhook::answer::status_text(bad_request, "BadRequest", message);
  return out;
}

}  // namespace tpuwh::server::review
