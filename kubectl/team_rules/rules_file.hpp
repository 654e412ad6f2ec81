// Reads a file of rules in YAML or JSON (docs/governance.md, "Rules").
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

// Reads rules from text. `file` is the file name for the texts of problems. Problems are, for
// example, unknown and duplicate keys, values of a wrong type, a rule without a name or without
// namespaces, and a file without rules.
RulesFile parse_rules(const std::string& text, const std::string& file);

// Reads rules from a file on disk. A file that cannot be read, or that is larger than
// text::max_small_bytes, is a problem.
RulesFile read_rules(const std::string& file);

}  // namespace tpuwh::server::team_rules
