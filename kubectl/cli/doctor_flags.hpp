// The flags of `kubectl tpu doctor`.
#pragma once

#include "kubectl/cli/cli.hpp"

namespace CLI {
class App;
}

namespace tpuwh::server::cli::kubectl_tpu {

void add_doctor(CLI::App& program, Command& chosen);

}  // namespace tpuwh::server::cli::kubectl_tpu
