#include "server/explain/findings.hpp"

#include "webhook/findings/table.hpp"

#include <algorithm>
#include <utility>

namespace tpuwh::server::explain {

namespace {

// "TPU-405: completions is 1" in its parts; a text without an id is a sentence alone.
Finding in_parts(const std::string& text, bool denied) {
  Finding out{.denied = denied, .id = {}, .sentence = text, .fix = {}};
  const auto colon = text.find(": ");
  if (colon == std::string::npos) return out;
  const auto* row = webhook::findings::find(std::string_view(text).substr(0, colon));
  if (row == nullptr) return out;
  out.id = row->id;
  out.sentence = text.substr(colon + 2);
  out.fix = row->fix;
  return out;
}

}  // namespace

void Findings::add(Finding finding) {
  const std::string text = (finding.denied ? "denied " : "warned ") + finding.id + finding.sentence;
  const auto [found, fresh] = by_text_.try_emplace(text, list_.size());
  if (fresh)
    list_.push_back(std::move(finding));
  else
    list_[found->second].pods += finding.pods;
}

void Findings::add(const review::ReviewOutcome& outcome, std::size_t pods) {
  const auto note = [&](const std::string& text, bool denied) {
    Finding finding = in_parts(text, denied);
    finding.pods = pods;
    add(std::move(finding));
  };
  if (outcome.verdict != review::Verdict::allowed) note(outcome.message, true);
  for (const std::string& warning : outcome.warnings) note(warning, false);
}

bool Findings::any_denied() const {
  return std::ranges::any_of(list_, &Finding::denied);
}

std::vector<Finding> Findings::take() {
  std::ranges::stable_sort(
      list_, [](const Finding& a, const Finding& b) { return a.denied && !b.denied; });
  by_text_.clear();
  return std::exchange(list_, {});
}

}  // namespace tpuwh::server::explain
