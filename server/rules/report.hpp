// The declared surface, and what changed in it, for people and programs.
#pragma once

#include "server/rules/rules.hpp"

#include <string>

namespace tpuwh::server::rules {

std::string as_text(const Rules& rules);
std::string as_markdown(const Rules& rules);

std::string as_text(const Rules& older, const Rules& newer, const RulesDiff& diff);
std::string as_markdown(const Rules& older, const Rules& newer, const RulesDiff& diff);
nlohmann::ordered_json to_json(const Rules& older, const Rules& newer, const RulesDiff& diff);

}  // namespace tpuwh::server::rules
