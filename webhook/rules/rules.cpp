#include "webhook/rules/rules.hpp"

#include "base/names.hpp"

#include <algorithm>

namespace tpuwh::webhook::rules {

std::string_view name_of(Capacity capacity) {
  using Row = decltype(capacities)::value_type;
  return std::ranges::find(capacities, capacity, &Row::second)->first;
}

// Goes back to the last '*' alone, so its time is at most the product of both lengths.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, behind_star = std::string_view::npos, resumed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      behind_star = ++p;
      resumed = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (behind_star != std::string_view::npos) {
      p = behind_star;
      t = ++resumed;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

const Rule* rule_of(const Rules& rules, std::string_view ns) {
  // A longer one is nobody's, and each pattern would be held against all of it.
  ns = ns.substr(0, base::max_label_length + 1);
  for (const Rule& rule : rules.list)
    for (const std::string& pattern : rule.namespaces)
      if (matches(pattern, ns)) return &rule;
  return nullptr;
}

}  // namespace tpuwh::webhook::rules
