#include "kubectl/team_rules/rules.hpp"

#include "base/names.hpp"

#include <algorithm>

namespace tpuwh::server::team_rules {

std::string_view name_of(Capacity capacity) {
  using Row = decltype(capacities)::value_type;
  return std::ranges::find(capacities, capacity, &Row::second)->first;
}

// If a character does not match, only the last '*' before it is extended to more text, never an
// earlier one. This limits the time to the length of `pattern` times the length of `text`.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, after_star = std::string_view::npos, resumed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      resumed = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (after_star != std::string_view::npos) {
      p = after_star;
      t = ++resumed;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

const Rule* rule_of(const Rules& rules, std::string_view ns) {
  // The name of a namespace has at most max_label_length characters. A longer `ns` is cut, because
  // a hostile caller could make the search slow with a long text. One more character is kept, so
  // that `ns` still differs from every valid name.
  ns = ns.substr(0, base::max_label_length + 1);
  for (const Rule& rule : rules.list)
    for (const std::string& pattern : rule.namespaces)
      if (matches(pattern, ns)) return &rule;
  return nullptr;
}

}  // namespace tpuwh::server::team_rules
