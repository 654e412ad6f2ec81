#include "kubectl/review/remark.hpp"

#include "kubectl/fixes/make.hpp"
#include "kubectl/objects/json_path.hpp"
#include "kubectl/reference/ids/webhook_rows.hpp"
#include "server/text/json_text.hpp"
#include "webhook/findings/finding.hpp"

#include <set>

namespace tpuwh::server::review {

namespace {

std::vector<Remark> parts(const ReviewOutcome& outcome, std::string review, Reviewer& reviewer) {
  std::vector<Remark> out;
  if (outcome.verdict != Verdict::allowed) {
    for (const auto& fault : reviewer.faults(review)) out.push_back(remark_of(fault));
    if (out.empty()) out.push_back(remark_of(outcome.message, true));
  }
  for (const std::string& warning : outcome.warnings) out.push_back(remark_of(warning, false));
  return out;
}

fixes::Said said(const std::vector<Remark>& all, const ReviewOutcome& outcome) {
  const bool denied = outcome.verdict != Verdict::allowed;
  fixes::Said out{.verdict = denied ? 2 : all.empty() ? 0 : 1};
  for (const Remark& each : all)
    if (!each.id.empty()) out.ids.insert(each.id);
  return out;
}

// The places of Ray's workers are given for good (Reviewer).
bool may_try(const ReviewOutcome& outcome) {
  const Json& labels = text::member(text::member(outcome.before, "metadata"), "labels");
  return outcome.before.is_object() && outcome.verdict != Verdict::unusable &&
         !(outcome.kind == "Pod" && labels.is_object() &&
           labels.contains(objects::key_of(webhook::read::Label::ray_cluster)));
}

std::optional<std::string> with_steps(const fixes::Steps& steps, const std::string& review) {
  Json whole = text::parse_or_discard(review);
  for (const fixes::Step& step : steps) {
    const auto* edit = std::get_if<fixes::Edit>(&step);
    if (edit == nullptr || edit->object || !fixes::apply(*edit, whole["request"]["object"]))
      return std::nullopt;
  }
  return text::dump_json(whole);
}

}  // namespace

Remark remark_of(const std::string& text, bool denied) {
  Remark out{.denied = denied, .id = {}, .sentence = text};
  const auto colon = text.find(": ");
  if (colon == std::string::npos) return out;
  const auto* row = webhook::findings::find(std::string_view(text).substr(0, colon));
  if (row == nullptr) return out;
  out.id = row->id;
  out.sentence = text.substr(colon + 2);
  out.fix = fixes::Choice{std::string(ids::words_of(row->finding).fix)};
  return out;
}

Remark remark_of(const webhook::validate::Found& fault) {
  return {.denied = true,
          .id = std::string(webhook::findings::row(fault.finding).id),
          .sentence = fault.sentence,
          .fix = fixes::Choice{std::string(ids::words_of(fault.finding).fix)}};
}

std::vector<Remark> all_remarks(const ReviewOutcome& outcome, const std::string& review,
                                Reviewer& reviewer, const std::string& prefix) {
  std::vector<Remark> out = parts(outcome, review, reviewer);
  if (!may_try(outcome)) return out;
  const fixes::Said before = said(out, outcome);
  const auto trial = [&](const fixes::Steps& steps) -> std::optional<fixes::Said> {
    auto changed = with_steps(steps, review);
    if (!changed) return std::nullopt;
    const ReviewOutcome after = parse_answer(reviewer.answer(*changed), *changed);
    return said(parts(after, *changed, reviewer), after);
  };
  const fixes::Subject subject{.object = outcome.before, .ns = outcome.ns, .prefix = prefix};
  for (const std::string& id : before.ids) {
    std::vector<std::string> sentences;
    for (const Remark& each : out)
      if (each.id == id) sentences.push_back(each.sentence);
    const fixes::Fix made =
        fixes::make_fix(fixes::proposals(subject, id, sentences), id, before, trial, {});
    if (std::holds_alternative<fixes::Choice>(made)) continue;
    for (Remark& each : out)
      if (each.id == id) each.fix = made;
  }
  return out;
}

}  // namespace tpuwh::server::review
