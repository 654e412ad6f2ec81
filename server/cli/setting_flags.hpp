// The flags of the settings, and --config.
#pragma once

#include "server/settings/layers.hpp"
#include "server/settings/setting.hpp"

#include <memory>

namespace CLI {
class App;
}

namespace tpuwh::server::cli {

// Adds --config, a file in a format that `parse` reads, and the flags of `scope` and below. The
// result has the values of the command line once it is parsed.
std::shared_ptr<const settings::Layers> add_setting_flags(
    CLI::App& command, settings::Scope scope,
    settings::ParseConfig* parse = settings::parse_config);

}  // namespace tpuwh::server::cli
