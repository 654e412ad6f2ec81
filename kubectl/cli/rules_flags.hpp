// The flags of `kubectl tpu rules`.
#pragma once

#include "kubectl/cli/cli.hpp"

namespace tpuwh::server::cli::kubectl_tpu {

void add_rules(CLI::App& program, Command& chosen);

}  // namespace tpuwh::server::cli::kubectl_tpu
