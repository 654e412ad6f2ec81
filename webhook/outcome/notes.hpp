// Sentences for the user that come with an answer: warnings.
#pragma once

#include <string>
#include <vector>

namespace tpuwh::webhook::outcome {

// kube-apiserver drops a warning with a control character, and cuts all to 256
// runes once they pass 4,096 together (docs/facts.md#warnings); writers of
// notes pass what users wrote through printable().
class Notes {
 public:
  void clear() { warnings_.clear(); }
  void warn(std::string sentence) { warnings_.push_back(std::move(sentence)); }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<std::string> warnings_;
};

}  // namespace tpuwh::webhook::outcome
