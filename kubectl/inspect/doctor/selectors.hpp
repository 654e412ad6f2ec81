// What a label selector asks for, one requirement at a time.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "server/text/json.hpp"

#include <set>
#include <string>

namespace tpuwh::server::doctor {

// "team in (a, b)", "team not in (a)", "team", "no team": each requirement as a text, the same for
// two that ask the same.
std::set<std::string> requirements(const Json& selector);

// Those of `one` that `other` has not.
std::set<std::string> beyond(const Json& one, const Json& other);

// Whether no labels at all can meet it: two requirements contradict each other.
bool meets_nobody(const Json& selector);

}  // namespace tpuwh::server::doctor
