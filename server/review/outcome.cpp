#include "server/review/outcome.hpp"

#include "server/text/json_text.hpp"
#include "webhook/answer/respond.hpp"

#include <array>

namespace tpuwh::server::review {

namespace {

using Json = nlohmann::ordered_json;

int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::string from_base64(std::string_view text) {
  std::string out;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    const int value = value_of(c);
    if (value < 0) break;
    bits = bits << 6 | static_cast<unsigned>(value);
    if (++count == 4) {
      out += {static_cast<char>(bits >> 16), static_cast<char>(bits >> 8), static_cast<char>(bits)};
      bits = count = 0;
    }
  }
  if (count >= 2) out += static_cast<char>(bits >> (count == 2 ? 4 : 10));
  if (count == 3) out += static_cast<char>(bits >> 2);
  return out;
}

void name_object(const Json& request, ReviewOutcome& out) {
  const Json metadata = text::member(out.before, "metadata");
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
  out.reason = webhook::decide::name(answer.summary.reason);
  out.description = answer.summary.description;
  const Json body = Json::parse(answer.body);
  if (answer.http_status != 200) {
    out.verdict = Verdict::unusable;
    take_refusal(body, out);
    return out;
  }
  const Json request = Json::parse(review).at("request");
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
  out.patch = Json::parse(from_base64(response["patch"].get_ref<const std::string&>()));
  out.after = out.before.patch(out.patch);
  return out;
}

ReviewOutcome unusable(const std::string& message) {
  constexpr unsigned bad_request = 400;
  ReviewOutcome out;
  out.verdict = Verdict::unusable;
  out.code = bad_request;
  out.message = message;
  webhook::text::Buffer answer;
  webhook::answer::respond_status(bad_request, "BadRequest", message, answer);
  out.answer = answer.view();
  return out;
}

}  // namespace tpuwh::server::review
