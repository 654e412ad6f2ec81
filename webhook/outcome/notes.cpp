#include "webhook/outcome/notes.hpp"

#include "webhook/findings/finding.hpp"

namespace tpuwh::webhook::outcome {

std::string with_id(findings::Finding finding, std::string_view sentence) {
  return std::string(findings::row(finding).id) + ": " + std::string(sentence);
}

std::string text_of(const Notes::Warning& warning) {
  const bool left = warning.consequence == Notes::Consequence::not_injected;
  const std::string text = warning.sentence + (left ? "; nothing was injected" : "");
  return warning.finding ? with_id(*warning.finding, text) : text;
}

}  // namespace tpuwh::webhook::outcome
