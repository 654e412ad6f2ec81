// The flags of `kubectl tpu certificate keep` and `kubectl tpu certificate rights`.
#pragma once

#include "kubectl/cli/cli.hpp"

namespace tpuwh::server::cli::kubectl_tpu {

void add_certificate(CLI::App& program, Command& chosen);

}  // namespace tpuwh::server::cli::kubectl_tpu
