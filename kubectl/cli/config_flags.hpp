// The flags of `kubectl tpu config check`, `config print` and `config schema`, and the flags of the
// webhook's settings.
#pragma once

#include "kubectl/cli/cli.hpp"
#include "server/cli/setting_flags.hpp"

#include <memory>

namespace tpuwh::server::cli::kubectl_tpu {

void add_config(CLI::App& program, Command& chosen);

// Adds the flags of the settings in `scope` to `command`, and the flag --config, whose file is YAML
// or JSON. The result has the values of these flags after the command line has been parsed.
std::shared_ptr<const settings::Layers> add_settings(CLI::App& command, settings::Scope scope);

}  // namespace tpuwh::server::cli::kubectl_tpu
