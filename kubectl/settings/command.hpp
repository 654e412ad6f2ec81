// `kubectl tpu config`: the faults of a file, the effective configuration, and the schema of the
// file.
#pragma once

#include "kubectl/text/console.hpp"
#include "server/settings/layers.hpp"

#include <string>

namespace tpuwh::server::settings {

enum class ConfigOutput { yaml, json };

struct ConfigCheckOptions {
  std::string file;  // "-" is standard input
};

// Prints every problem of the file on err, a line each. Returns 0 if there is none, else 2.
int run_config_check(const ConfigCheckOptions& options, const text::Console& console);

struct ConfigPrintOptions {
  ConfigOutput output = ConfigOutput::yaml;
  Effective effective = {};
};

// Prints all settings, as a file that --config takes: JSON, or YAML with a comment on each line
// that says where the value comes from.
int run_config_print(const ConfigPrintOptions& options, const text::Console& console);

int run_config_schema(const text::Console& console);

}  // namespace tpuwh::server::settings
