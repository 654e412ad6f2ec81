// The flags of `rules`, which both programs print.
#pragma once

#include "server/cli/cli.hpp"

namespace tpuwh::server::cli {

void add_rules(CLI::App& program, Command& chosen);

}  // namespace tpuwh::server::cli
