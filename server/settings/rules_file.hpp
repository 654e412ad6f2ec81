// The file of a cluster's rules, YAML or JSON: docs/governance.md, "Rules".
#pragma once

#include "server/settings/file.hpp"
#include "webhook/rules/rules.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::settings {

struct RulesFile {
  webhook::rules::Rules rules;
  std::vector<Problem> problems;  // all there are, by line; with one the rules are not to be used
};

// Reads the text of a file called `file`. An unknown key, a key that stands twice, a value of
// another type, a rule without a name or namespaces and a file without rules are problems.
RulesFile parse_rules(const std::string& text, const std::string& file);

// The same of a file on disk. One that cannot be read, or is larger than limits::config_bytes, is
// a problem.
RulesFile read_rules(const std::string& file);

}  // namespace tpuwh::server::settings
