// The flags of the settings, and --config.
#pragma once

#include "server/settings/layers.hpp"
#include "server/settings/setting.hpp"

#include <memory>

namespace CLI {
class App;
}

namespace tpuwh::server::cli {

// Adds --config and the flags of `scope` and below. The result holds what the command line gives,
// once it is parsed.
std::shared_ptr<const settings::Layers> add_setting_flags(CLI::App& command, settings::Scope scope);

}  // namespace tpuwh::server::cli
