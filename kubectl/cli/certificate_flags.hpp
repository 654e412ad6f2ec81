// `certificate keep` and `certificate rights` of the command line.
#pragma once

#include "kubectl/cli/cli.hpp"

namespace tpuwh::server::cli::kubectl_tpu {

void add_certificate(CLI::App& program, Command& chosen);

}  // namespace tpuwh::server::cli::kubectl_tpu
