// The subcommands that look at a running cluster: slices and audit.
#pragma once

#include "kubectl/cli/cli.hpp"

#include <CLI/App.hpp>

namespace tpuwh::server::cli::kubectl_tpu {

void add_slices(CLI::App& program, Command& chosen);
void add_audit(CLI::App& program, Command& chosen);

}  // namespace tpuwh::server::cli::kubectl_tpu
