// The flags of `tpu-webhook doctor`.
#pragma once

#include "server/cli/cli.hpp"

namespace CLI {
class App;
}

namespace tpuwh::server::cli {

void add_doctor(CLI::App& program, Command& chosen);

}  // namespace tpuwh::server::cli
