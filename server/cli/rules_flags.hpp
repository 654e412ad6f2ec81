// The flags of `rules`, which both programs print.
#pragma once

#include "server/cli/cli.hpp"
#include "server/rules/command.hpp"

#include <string>

namespace tpuwh::server::cli {

// Prints what is different from the JSON of another release, in a file.
using RulesDiffer = int(const rules::RulesOptions& options, const std::string& older,
                        const text::Console& console);

// With a `differ` it has --diff.
void add_rules(CLI::App& program, Command& chosen, RulesDiffer* differ = nullptr);

}  // namespace tpuwh::server::cli
