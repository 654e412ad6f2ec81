// `findings`: what the id in front of a message means.
#pragma once

#include "kubectl/cli/cli.hpp"

#include <CLI/App.hpp>

namespace tpuwh::server::cli::kubectl_tpu {

void add_findings(CLI::App& program, Command& chosen);

}  // namespace tpuwh::server::cli::kubectl_tpu
