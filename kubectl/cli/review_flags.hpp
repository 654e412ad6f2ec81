// The flags of `kubectl tpu review`.
#pragma once

#include "kubectl/cli/cli.hpp"

namespace tpuwh::server::cli::kubectl_tpu {

void add_review(CLI::App& program, Command& chosen);

}  // namespace tpuwh::server::cli::kubectl_tpu
