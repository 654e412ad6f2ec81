#include "kubectl/predict/explain/findings.hpp"

#include "kubectl/review/remark.hpp"
#include "webhook/findings/finding.hpp"

#include <algorithm>
#include <utility>

namespace tpuwh::server::explain {

namespace {

Finding finding_of(review::Remark told, std::size_t pods) {
  return {.denied = told.denied,
          .id = std::move(told.id),
          .sentence = std::move(told.sentence),
          .fix = std::move(told.fix),
          .pods = pods};
}

}  // namespace

std::string id_of(webhook::findings::Finding finding) {
  return std::string(webhook::findings::row(finding).id);
}

void Findings::add(Finding finding) {
  const std::string text = (finding.denied ? "denied " : "warned ") + finding.id + finding.sentence;
  const auto [found, fresh] = by_text_.try_emplace(text, list_.size());
  if (fresh)
    list_.push_back(std::move(finding));
  else
    list_[found->second].pods += finding.pods;
}

void Findings::add_object(const review::Reply& reply,
                          const std::vector<webhook::validate::Found>& faults) {
  if (reply.verdict != review::Verdict::allowed) refusal_ = reply.message;
  if (refusal_.empty() || faults.empty()) return add(reply, 0);
  for (const webhook::validate::Found& fault : faults) add(finding_of(review::remark_of(fault), 0));
  for (const std::string& warning : reply.warnings)
    add(finding_of(review::remark_of(warning, false), 0));
}

void Findings::add(const review::Reply& reply, std::size_t pods) {
  if (reply.verdict != review::Verdict::allowed)
    add(finding_of(review::remark_of(reply.message, true), pods));
  for (const std::string& warning : reply.warnings)
    add(finding_of(review::remark_of(warning, false), pods));
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
