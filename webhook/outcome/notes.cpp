#include "webhook/outcome/notes.hpp"

#include "webhook/findings/finding.hpp"

namespace tpuwh::webhook::outcome {

namespace {

std::string_view words(Notes::Consequence consequence) {
  switch (consequence) {
    case Notes::Consequence::none:
      return "";
    case Notes::Consequence::not_injected:
      return "; nothing was injected";
  }
  return "";
}

}  // namespace

std::string with_id(findings::Finding finding, std::string_view sentence) {
  return std::string(findings::row(finding).id) + ": " + std::string(sentence);
}

std::string text_of(const Notes::Warning& warning) {
  const std::string text = warning.sentence + std::string(words(warning.consequence));
  return warning.finding ? with_id(*warning.finding, text) : text;
}

}  // namespace tpuwh::webhook::outcome
