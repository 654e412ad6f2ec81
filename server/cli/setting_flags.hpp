// The flags of the settings, and --config.
#pragma once

#include "server/settings/layers.hpp"
#include "server/settings/setting.hpp"

#include <memory>

namespace CLI {
class App;
}

namespace tpuwh::server::cli {

// Adds to `command` the flag --config and the flags of all settings whose Scope is `scope` or comes
// before it in the enum. The values of these flags are in the result after the command line has
// been parsed. `parse` is the function that later parses the file of --config.
std::shared_ptr<const settings::Layers> add_setting_flags(
    CLI::App& command, settings::Scope scope,
    settings::ParseConfig* parse = settings::parse_config);

}  // namespace tpuwh::server::cli
