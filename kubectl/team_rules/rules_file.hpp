// Reads the file of a team's rules, YAML or JSON (docs/governance.md, "Rules").
#pragma once

#include "kubectl/team_rules/rules.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::team_rules {

struct RulesFile {
  Rules rules;
  // All problems, ordered by line: "rules.yaml:3: rules.0.names: ...". `rules` must not be used if
  // there is a problem.
  std::vector<std::string> problems;
};

// Reads rules from text. `file` is the name of the file in problems. An unknown key, a duplicate
// key, a value of another type, a rule without a name or namespaces, and a file without rules are
// problems.
RulesFile parse_rules(const std::string& text, const std::string& file);

// Reads rules from a file on disk. A file that cannot be read, or that is larger than
// text::max_small_bytes, is a problem.
RulesFile read_rules(const std::string& file);

}  // namespace tpuwh::server::team_rules
