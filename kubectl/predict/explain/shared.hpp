// Variables that containers of a Pod have alike, told once.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tpuwh::server::explain {

// A variable with all containers that have it alike.
struct Shared {
  const Variable* variable;
  std::vector<std::string> containers;
};

inline bool alike(const Variable& a, const Variable& b) {
  return a.name == b.name && a.value == b.value && a.from == b.from && a.ours == b.ours &&
         a.owners == b.owners && a.why == b.why && a.replaces == b.replaces;
}

// In the order of the first of each; it points into `variables`.
inline std::vector<Shared> shared(const std::vector<Variable>& variables) {
  std::vector<Shared> out;
  for (const Variable& variable : variables) {
    auto same = std::ranges::find_if(
        out, [&](const Shared& other) { return alike(*other.variable, variable); });
    if (same == out.end()) same = out.insert(same, {&variable, {}});
    same->containers.push_back(variable.container);
  }
  return out;
}

}  // namespace tpuwh::server::explain
