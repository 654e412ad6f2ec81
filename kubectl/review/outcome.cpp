#include "kubectl/review/outcome.hpp"

#include "base/names.hpp"
#include "kubectl/objects/read_json.hpp"
#include "kubectl/text/base64.hpp"
#include "server/text/json_text.hpp"
#include "webhook/answer/respond.hpp"
#include "webhook/read/body.hpp"

#include <stdexcept>
#include <utility>

namespace tpuwh::server::review {

namespace {

void name_object(const Json& request, ReviewOutcome& out) {
  const Json& metadata = text::member(out.before, "metadata");
  out.kind = text::text_member(text::member(request, "kind"), "kind");
  out.ns = text::text_member(request, "namespace");
  out.name = text::text_member(request, "name");
  if (out.name.empty()) out.name = text::text_member(metadata, "name");
  const std::string generated = text::text_member(metadata, "generateName");
  if (out.name.empty() && !generated.empty()) out.name = generated + "*";
}

using base::json::Reader;

bool read_status(Reader& in, Reply& out) {
  return in.object([&](std::string_view key) {
    std::string_view text;
    if (key == "message") {
      if (!in.string(text)) return false;
      out.message = text;
      return true;
    }
    if (key != "code") return in.skip();
    if (!in.number(text)) return false;
    out.code = base::plain_decimal(text).value_or(0);
    return true;
  });
}

// `patch`: its base64.
bool read_response(Reader& in, Reply& out, std::string_view& patch) {
  return in.object([&](std::string_view key) {
    if (key == "patch") return in.string(patch);
    if (key == "status") return read_status(in, out);
    if (key == "allowed") {
      bool allowed = false;
      if (!in.boolean(allowed)) return false;
      out.verdict = allowed ? Verdict::allowed : Verdict::denied;
      return true;
    }
    if (key != "warnings") return in.skip();
    return in.array([&](std::size_t) {
      std::string_view text;
      if (!in.string(text)) return false;
      out.warnings.emplace_back(text);
      return true;
    });
  });
}

}  // namespace

Operation::Operation(Json text) : patch_(Json::array({std::move(text)})) {
  const std::string what = text::text_member(patch_.front(), "op");
  const Json::json_pointer path(text::text_member(patch_.front(), "path"));
  adds_ = what == "add";
  if (path.empty() || !(adds_ || what == "replace")) return;
  parent_ = path.parent_pointer();
  key_ = path.back();
  value_ = text::find_member(patch_.front(), "value");
}

// What patch() does, of a path that is read once for all Pods that have the same.
void Operation::apply(Json& object) const {
  if (value_ == nullptr) return object.patch_inplace(patch_);
  Json& parent = object.at(parent_);
  if (parent.is_object()) {
    (adds_ ? parent[key_] : parent.at(key_)) = *value_;
    return;
  }
  const auto place = base::plain_decimal(key_);
  if (!parent.is_array() || !place || *place > parent.size()) return object.patch_inplace(patch_);
  if (adds_)
    parent.insert(parent.begin() + static_cast<std::ptrdiff_t>(*place), *value_);
  else
    parent.at(*place) = *value_;
}

Reply ReplyReader::read(const webhook::answer::Answer& answer) {
  Reply out;
  body_ = answer.body;
  std::string_view patch;
  const bool is_review = answer.http_status == 200;
  if (!is_review) out.verdict = Verdict::unusable;
  const auto read = [&](std::string_view key) {
    return key == "response" ? read_response(in_, out, patch) : in_.skip();
  };
  if (!in_.start(webhook::read::Body(body_).bytes()) ||
      !(is_review ? in_.object(read) : read_status(in_, out)) || !in_.finish())
    throw std::logic_error("an answer of ours cannot be read: " + in_.error().text());
  read_patch(patch, out);
  return out;
}

void ReplyReader::read_patch(std::string_view base64, Reply& out) {
  constexpr std::size_t most_kept = 4096;
  if (operations_.size() > most_kept) operations_.clear();
  if (base64.empty()) return;
  patch_ = text::decode_base64(base64).value();
  const auto keep = [&](std::size_t) {
    std::string_view text;
    if (!in_.raw_value(text)) return false;
    std::string key(text);
    auto kept = operations_.find(key);
    if (kept == operations_.end())
      kept = operations_.try_emplace(std::move(key), text::parse_or_discard(text)).first;
    out.operations.push_back(&kept->second);
    return true;
  };
  if (!in_.start(webhook::read::Body(patch_).bytes()) || !in_.array(keep) || !in_.finish())
    throw std::logic_error("a patch of ours cannot be read: " + in_.error().text());
}

ReviewOutcome parse_answer(const webhook::answer::Answer& answer, const std::string& review) {
  ReplyReader reader;
  ReviewOutcome out;
  static_cast<Reply&>(out) = reader.read(answer);
  out.answer = answer.body;
  out.workload = answer.summary.workload;
  out.reason = answer.summary.reason;
  out.description = answer.summary.description;
  if (out.verdict == Verdict::unusable) return out;
  // What nobody looks at, the server passes over without reading it.
  const auto whole = objects::read_json(review);
  if (!whole) return unusable(whole.error().text());
  const Json& request = whole->at("request");
  if (request.contains("object")) out.before = out.after = request["object"];
  name_object(request, out);
  out.apply(out.after);
  for (const Operation* each : std::exchange(out.operations, {})) out.patch.push_back(each->text());
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
