// The declared surface, for people.
#pragma once

#include "server/rules/rules.hpp"

#include <string>

namespace tpuwh::server::rules {

std::string as_text(const Rules& rules);
std::string as_markdown(const Rules& rules);

}  // namespace tpuwh::server::rules
