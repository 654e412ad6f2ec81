#include "webhook/validate/findings.hpp"

#include "webhook/outcome/notes.hpp"

#include <algorithm>
#include <utility>

namespace tpuwh::webhook::validate {

void Findings::add(Finding finding, std::string sentence, Level most) {
  add_decided(finding, std::move(sentence), std::min(config_.level_of(finding, ns_), most));
}

void Findings::add_decided(Finding finding, std::string sentence, Level level) {
  if (level == Level::off) return;
  std::vector<Found>& list = level == Level::deny ? faults_ : warnings_;
  Found found{finding, std::move(sentence)};
  if (std::ranges::find(list, found) == list.end()) list.push_back(std::move(found));
}

void Findings::soften(const std::string& why) {
  for (const Found& fault : faults_) add_decided(fault.finding, why + fault.sentence, Level::warn);
  faults_.clear();
}

void Findings::soften_old(const Findings& before, const std::string& why) {
  const auto old = [&](const Found& fault) {
    return std::ranges::find(before.faults_, fault) != before.faults_.end();
  };
  for (const Found& fault : faults_)
    if (old(fault)) add_decided(fault.finding, why + fault.sentence, Level::warn);
  std::erase_if(faults_, old);
}

std::string joined(const std::vector<Findings::Found>& faults) {
  constexpr std::size_t most = 20;
  const auto text = [](const Findings::Found& each) {
    return outcome::with_id(each.finding, each.sentence);
  };
  if (faults.size() == 1) return text(faults.front());
  std::string out;
  const std::size_t shown = std::min(most, faults.size());
  for (std::size_t i = 0; i < shown; ++i)
    out += (i == 0 ? "(" : "; (") + std::to_string(i + 1) + ") " + text(faults[i]);
  if (shown < faults.size()) out += "; and " + std::to_string(faults.size() - shown) + " more";
  return out;
}

}  // namespace tpuwh::webhook::validate
