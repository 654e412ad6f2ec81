// The flags of webhook::Config, the same for every subcommand that decides.
#pragma once

#include "webhook/config.hpp"

#include <CLI/App.hpp>

#include <string>

namespace tpuwh::server {

// `config` must outlive the parsing.
void add_webhook_flags(CLI::App& command, webhook::Config& config);
// --annotation-prefix alone.
void add_prefix_flag(CLI::App& command, std::string& prefix);

}  // namespace tpuwh::server
