// The flags of the settings, and --config.
#pragma once

#include "server/settings/layers.hpp"

#include <CLI/App.hpp>

#include <memory>

namespace tpuwh::server::settings {

// Adds --config and the flags of `scope` and below. What the command line gives is in the
// result once it is parsed.
std::shared_ptr<const Layers> add_setting_flags(CLI::App& command, Scope scope);

}  // namespace tpuwh::server::settings
