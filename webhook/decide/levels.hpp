// What follows of what was found, as the operator has it (Config::level_of).
#pragma once

#include "webhook/config/config.hpp"
#include "webhook/outcome/decision.hpp"

#include <string_view>

namespace tpuwh::webhook::decide {

// The decision with each finding at the level that holds in the namespace: one that is off is not
// said, a refusal may be a warning, and a warning may refuse. A Pod that waits for the ledger is
// not refused before its place is known.
outcome::Decision at_levels(outcome::Decision decision, const config::Config& config,
                            std::string_view ns, outcome::Notes& notes);

}  // namespace tpuwh::webhook::decide
