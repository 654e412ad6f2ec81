#include "webhook/validate/findings.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"
#include "webhook/outcome/notes.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

namespace tpuwh::webhook::validate {

FoundList::Kept::Kept(Found found)
    : Found(std::move(found)), hash(std::hash<std::string>()(sentence)) {}

bool FoundList::Kept::operator<(const Kept& other) const {
  if (hash != other.hash) return hash < other.hash;
  return std::tie(finding, sentence) < std::tie(other.finding, other.sentence);
}

const FoundList::Kept* FoundList::put(Found found) {
  if (!all_) all_ = std::make_unique<All>();
  const auto [place, is_new] = all_->set.emplace(std::move(found));
  return is_new ? &*place : nullptr;
}

void FoundList::add(Found found) {
  if (const Kept* kept = put(std::move(found))) order_.push_back(kept);
}

void FoundList::add_in_front(Found found) {
  if (const Kept* kept = put(std::move(found))) order_.insert(order_.begin(), kept);
}

bool FoundList::contains(Finding finding) const {
  return std::ranges::find(order_, finding, &Found::finding) != order_.end();
}

void Findings::add(Finding finding, std::string sentence, Level most) {
  add_decided(finding, std::move(sentence), std::min(config_.level_of(finding, ns_), most));
}

void Findings::add_decided(Finding finding, std::string sentence, Level level) {
  if (level != Level::off) list_of(level).add({finding, std::move(sentence)});
}

void Findings::add_in_front(Finding finding, std::string sentence) {
  const Level level = config_.level_of(finding, ns_);
  if (level != Level::off) list_of(level).add_in_front({finding, std::move(sentence)});
}

void Findings::soften(const std::string& why) {
  for (const Found* fault : faults_.in_order())
    add_decided(fault->finding, base::concat({why, fault->sentence}), Level::warn);
  faults_ = FoundList();
}

void Findings::soften_old(const Findings& before, const std::string& why) {
  // Of templates that are not checked there may be one more or less now.
  const auto is_new = [&](const FoundList::Kept& fault) {
    return !before.faults_.contains(fault) && (fault.finding != Finding::templates_unchecked ||
                                               !before.faults_.contains(fault.finding));
  };
  faults_.keep_if(is_new, [&](const Found& fault) {
    add_decided(fault.finding, base::concat({why, fault.sentence}), Level::warn);
  });
}

std::string with_commas(std::size_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string and_more(std::size_t count) {
  return "and " + with_commas(count) + " more";
}

std::string joined(const FoundList& faults) {
  const auto text = [](const Found& each) { return outcome::with_id(each.finding, each.sentence); };
  if (faults.size() == 1) return text(faults[0]);
  std::string out;
  const std::size_t shown = std::min(max_told, faults.size());
  for (std::size_t i = 0; i < shown; ++i)
    out += (i == 0 ? "(" : "; (") + std::to_string(i + 1) + ") " + text(faults[i]);
  if (shown < faults.size()) out += "; " + and_more(faults.size() - shown);
  return out;
}

}  // namespace tpuwh::webhook::validate
