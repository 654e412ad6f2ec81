// `kubectl tpu rules --diff`: what is different in the declared surface from another release.
#pragma once

#include "kubectl/reference/rules/command.hpp"

#include <string>

namespace tpuwh::server::rules_diff {

// `older` is a file with the JSON of another release.
//
//   returns  0; 1 where something was added; 2 where the file is unusable (a sentence on err)
int run_rules_diff(const rules::RulesOptions& options, const std::string& older,
                   const text::Console& console);

}  // namespace tpuwh::server::rules_diff
