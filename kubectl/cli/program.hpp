// The operators' program, a plugin of kubectl: `kubectl tpu explain -f job.yaml`.
#pragma once

#include "server/cli/cli.hpp"

namespace tpuwh::server::cli::kubectl_tpu {

const Program& program();

}  // namespace tpuwh::server::cli::kubectl_tpu
