// The flags of `tpu-webhook ledger`.
#pragma once

#include "server/cli/cli.hpp"

namespace CLI {
class App;
}

namespace tpuwh::server::cli {

void add_ledger(CLI::App& program, Command& chosen);

}  // namespace tpuwh::server::cli
