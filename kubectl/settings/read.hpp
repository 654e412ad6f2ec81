// How kubectl-tpu reads the configuration file of tpu-webhook, which is YAML or JSON. Each problem
// in the file is reported with its line number and, if there is a similar name, a suggestion.
#pragma once

#include "server/settings/file.hpp"

#include <string>

namespace tpuwh::server::settings {

// Reads a configuration file from YAML or JSON text. parse_config() does the same but accepts only
// JSON. `file` is the name of the file in messages. Problems are ordered by line. The problem of an
// unknown key names the key that was probably meant.
ConfigFile parse_yaml_config(const std::string& text, const std::string& file);

}  // namespace tpuwh::server::settings
