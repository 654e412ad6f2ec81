#include "webhook/validate/findings.hpp"

#include <algorithm>
#include <utility>

namespace tpuwh::webhook::validate {

void Findings::add(std::vector<std::string>& list, std::string sentence) {
  if (std::ranges::find(list, sentence) == list.end()) list.push_back(std::move(sentence));
}

void Findings::soften(const std::string& why) {
  for (const std::string& fault : faults_) warn(why + fault);
  faults_.clear();
}

void Findings::soften_old(const Findings& before, const std::string& why) {
  const auto old = [&](const std::string& fault) {
    return std::ranges::find(before.faults_, fault) != before.faults_.end();
  };
  for (const std::string& fault : faults_)
    if (old(fault)) warn(why + fault);
  std::erase_if(faults_, old);
}

std::string joined(const std::vector<std::string>& sentences) {
  constexpr std::size_t most = 20;
  if (sentences.size() == 1) return sentences.front();
  std::string out;
  const std::size_t shown = std::min(most, sentences.size());
  for (std::size_t i = 0; i < shown; ++i)
    out += (i == 0 ? "(" : "; (") + std::to_string(i + 1) + ") " + sentences[i];
  if (shown < sentences.size())
    out += "; and " + std::to_string(sentences.size() - shown) + " more";
  return out;
}

}  // namespace tpuwh::webhook::validate
