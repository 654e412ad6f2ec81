// Sentences for the user that come with an answer: warnings.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tpuwh::webhook::outcome {

// kube-apiserver drops a warning with a control character, and cuts all to 256
// runes once they pass 4,096 together (docs/facts.md#warnings); writers of
// notes pass what users wrote through printable().
class Notes {
 public:
  // What follows for a Pod that was made. Only the answer about a Pod says it; a template
  // that is checked and a snapshot that is audited give the sentence alone.
  enum class Consequence { none, not_injected };
  struct Warning {
    std::string sentence;
    Consequence consequence = Consequence::none;
  };

  void clear() { warnings_.clear(); }
  void warn(std::string sentence, Consequence consequence = Consequence::none) {
    warnings_.push_back({std::move(sentence), consequence});
  }
  const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  std::vector<Warning> warnings_;
};

// "the topology is not known; nothing was injected"
std::string with_consequence(const Notes::Warning& warning);

}  // namespace tpuwh::webhook::outcome
