// The tables of variables of a page.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/predict/explain/page_parts.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::explain {

// A slice whose containers are called differently (of a leader and its workers) has nothing alike
// by the name of a container. Told without it: what all members have alike is the slice's, and a
// variable that a member has once has no container.
Slice without_container_names(Slice slice);

// What a variable is worth, or where its value comes from.
Markup worth_html(const Variable& variable, PageRoom& room);

// Name and value of each, close together. "" where there are none.
Markup pairs_html(const std::vector<Variable>& variables, PageRoom& room);

// Variables that Pods have alike for one reason.
struct VariableGroup {
  std::string title;
  const std::vector<Variable>& variables;
};

// One table: who writes them and why. "" where there are none.
Markup variables_html(const std::vector<VariableGroup>& groups, PageRoom& room);

}  // namespace tpuwh::server::explain
