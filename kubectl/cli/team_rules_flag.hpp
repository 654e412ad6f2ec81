// The flag --team-rules FILE, for commands that check objects against the rules of a team.
#pragma once

#include "kubectl/team_rules/rules.hpp"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace tpuwh::server::cli::kubectl_tpu {

// Adds the flag --team-rules to `command`. When the command line is parsed, `file` gets the name of
// the file.
void add_team_rules(CLI::App& command, std::string& file);

// Reads a team's rules from `file`. Returns nullopt if `file` is "". Throws settings::UsageError
// with all problems of the file.
std::optional<team_rules::Rules> read_team_rules(const std::string& file);

}  // namespace tpuwh::server::cli::kubectl_tpu
