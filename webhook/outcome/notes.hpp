// Sentences for the user that come with an answer: warnings.
#pragma once

#include "webhook/findings/finding.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::webhook::outcome {

// What a warning of shadow mode begins with.
inline constexpr std::string_view in_shadow = "shadow mode: ";

// kube-apiserver drops a warning with a control character, and cuts all to 256
// runes once they pass 4,096 together (docs/facts.md#warnings); writers of
// notes pass what users wrote through printable().
class Notes {
 public:
  // What follows for a Pod that was made. Only the answer about a Pod says it; a template
  // that is checked and a snapshot that is audited give the sentence alone.
  enum class Consequence { none, not_injected };
  struct Warning {
    std::optional<findings::Finding> finding;  // none: about this program, not about the object
    std::string sentence;
    Consequence consequence = Consequence::none;
  };

  void clear() { warnings_.clear(); }
  void warn(findings::Finding finding, std::string sentence,
            Consequence consequence = Consequence::none) {
    warnings_.push_back({finding, std::move(sentence), consequence});
  }
  // Of this program: its mode, or that it failed.
  void say(std::string sentence) { warnings_.push_back({std::nullopt, std::move(sentence)}); }

  // The first of it, null for none.
  Warning* find(findings::Finding finding) {
    for (Warning& each : warnings_)
      if (each.finding == finding) return &each;
    return nullptr;
  }
  const std::vector<Warning>& warnings() const { return warnings_; }
  std::vector<Warning>& warnings() { return warnings_; }

 private:
  std::vector<Warning> warnings_;
};

// "TPU-105: the topology is not known": the id first, since long warnings are cut at their end.
std::string with_id(findings::Finding finding, std::string_view sentence);

// "TPU-105: the topology is not known; nothing was injected"
std::string text_of(const Notes::Warning& warning);

}  // namespace tpuwh::webhook::outcome
