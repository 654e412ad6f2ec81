// The flags of the settings, and --config.
#pragma once

#include "server/settings/layers.hpp"
#include "server/settings/setting.hpp"

#include <initializer_list>
#include <memory>
#include <string_view>

namespace CLI {
class App;
}

namespace tpuwh::server::cli {

// Adds --config and the flags of `scope` and below, and of the settings with these keys. What the
// command line gives is in the result once it is parsed.
std::shared_ptr<const settings::Layers> add_setting_flags(
    CLI::App& command, settings::Scope scope, std::initializer_list<std::string_view> keys = {});

}  // namespace tpuwh::server::cli
