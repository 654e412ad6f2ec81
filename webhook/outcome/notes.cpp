#include "webhook/outcome/notes.hpp"

namespace tpuwh::webhook::outcome {

std::string with_consequence(const Notes::Warning& warning) {
  switch (warning.consequence) {
    case Notes::Consequence::none:
      return warning.sentence;
    case Notes::Consequence::not_injected:
      return warning.sentence + "; nothing was injected";
  }
  return warning.sentence;
}

}  // namespace tpuwh::webhook::outcome
