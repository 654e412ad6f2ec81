// The flags of `config check`, `print` and `schema`, and those of the settings.
#pragma once

#include "kubectl/cli/cli.hpp"
#include "server/cli/setting_flags.hpp"

#include <memory>

namespace tpuwh::server::cli::kubectl_tpu {

void add_config(CLI::App& program, Command& chosen);

// Adds the flags of the settings, with a --config that reads YAML and JSON.
std::shared_ptr<const settings::Layers> add_settings(CLI::App& command, settings::Scope scope);

}  // namespace tpuwh::server::cli::kubectl_tpu
