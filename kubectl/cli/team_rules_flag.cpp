#include "kubectl/cli/team_rules_flag.hpp"

#include "kubectl/team_rules/rules_file.hpp"
#include "server/settings/usage_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

namespace tpuwh::server::cli::kubectl_tpu {

void add_team_rules(CLI::App& command, std::string& file) {
  command
      .add_option("--team-rules", file,
                  "File of rules: which namespaces may ask for TPUs, and for how many "
                  "(docs/governance.md). `kubectl tpu policy` prints admission policies that "
                  "enforce the rules")
      ->type_name("FILE");
}

std::optional<team_rules::Rules> read_team_rules(const std::string& file) {
  if (file.empty()) return std::nullopt;
  team_rules::RulesFile read = team_rules::read_rules(file);
  if (!read.problems.empty())
    throw settings::UsageError(fmt::format("{}", fmt::join(read.problems, "\n")));
  return std::move(read.rules);
}

}  // namespace tpuwh::server::cli::kubectl_tpu
