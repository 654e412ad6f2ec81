// The subcommand catalog.
#pragma once

#include "kubectl/cli/cli.hpp"

#include <CLI/App.hpp>

namespace tpuwh::server::cli::kubectl_tpu {

void add_catalog(CLI::App& program, Command& chosen);

}  // namespace tpuwh::server::cli::kubectl_tpu
