// Reads tpu-webhook's configuration file in kubectl-tpu, as YAML or JSON. Problems have line
// numbers and suggestions.
#pragma once

#include "server/settings/file.hpp"

#include <string>

namespace tpuwh::server::settings {

// Reads a configuration file from YAML or JSON text. parse_config() does the same for JSON alone.
// `file` is the name of the file in problems. Problems are ordered by line. The problem of an
// unknown key names the key that was probably meant.
ConfigFile parse_yaml_config(const std::string& text, const std::string& file);

}  // namespace tpuwh::server::settings
