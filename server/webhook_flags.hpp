// The flags of webhook::Config, the same for every subcommand that decides.
#pragma once

#include "webhook/config.hpp"

#include <CLI/App.hpp>

namespace tpuwh::server {

// `config` must outlive the parsing.
void add_webhook_flags(CLI::App& command, webhook::Config& config);

}  // namespace tpuwh::server
