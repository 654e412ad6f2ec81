// A difference, for people and programs.
#pragma once

#include "kubectl/reference/rules_diff/diff.hpp"

namespace tpuwh::server::rules_diff {

std::string as_text(const Rules& older, const Rules& newer, const RulesDiff& diff);
std::string as_markdown(const Rules& older, const Rules& newer, const RulesDiff& diff);
Json to_json(const Rules& older, const Rules& newer, const RulesDiff& diff);

}  // namespace tpuwh::server::rules_diff
