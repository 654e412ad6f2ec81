// The subcommands that need no server: review, rules and config.
#pragma once

#include "server/cli/cli.hpp"

#include <CLI/App.hpp>

namespace tpuwh::server::cli {

void add_review(CLI::App& program, Command& chosen);
void add_rules(CLI::App& program, Command& chosen);
void add_config(CLI::App& program, Command& chosen);

}  // namespace tpuwh::server::cli
