// The configuration file as kubectl-tpu reads it: YAML or JSON, with lines and suggestions.
#pragma once

#include "server/settings/file.hpp"

#include <string>

namespace tpuwh::server::settings {

// Reads the text of a file called `file`, as parse_config() reads JSON. The problems are in the
// order of lines, and an unknown key comes with the key that was probably meant.
ConfigFile parse_yaml_config(const std::string& text, const std::string& file);

}  // namespace tpuwh::server::settings
