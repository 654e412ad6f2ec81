// `kubectl tpu config`: prints the faults of a configuration file, the effective configuration, or
// the JSON schema of the file.
#pragma once

#include "kubectl/text/console.hpp"
#include "server/settings/layers.hpp"

#include <string>

namespace tpuwh::server::settings {

enum class ConfigOutput { yaml, json };

struct ConfigCheckOptions {
  std::string file;  // "-" is standard input
};

// Prints each problem of the file on one line of console.err. Returns 0 if there are no problems,
// otherwise 2.
int run_config_check(const ConfigCheckOptions& options, const text::Console& console);

struct ConfigPrintOptions {
  ConfigOutput output = ConfigOutput::yaml;
  Effective effective = {};
};

// Prints all settings as a file that --config accepts, as JSON or YAML. In YAML, a comment on each
// line names the source of the value.
int run_config_print(const ConfigPrintOptions& options, const text::Console& console);

int run_config_schema(const text::Console& console);

}  // namespace tpuwh::server::settings
