// `kubectl tpu findings`: what the id in front of a message means, and what to do.
#pragma once

#include "kubectl/text/console.hpp"

#include <string>

namespace tpuwh::server::ids {

enum class FindingsOutput { text, json };

struct FindingsOptions {
  std::string id;  // "" for a table of all
  FindingsOutput output = FindingsOutput::text;
};

// docs/messages.md is made from the JSON; a test fails where they differ.
//
//   returns  0; 2 for an id that there is not (a sentence on err)
int run_findings(const FindingsOptions& options, const text::Console& console);

}  // namespace tpuwh::server::ids
