// The flags of `config check`, `print` and `schema`, which both programs have.
#pragma once

#include "server/cli/cli.hpp"

namespace tpuwh::server::cli {

void add_config(CLI::App& program, Command& chosen);

}  // namespace tpuwh::server::cli
