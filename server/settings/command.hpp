// `tpu-webhook config`: is a file right, what is in force, what may stand in a file.
#pragma once

#include "server/settings/layers.hpp"
#include "server/text/console.hpp"

#include <string>

namespace tpuwh::server::settings {

enum class ConfigOutput { yaml, json };

struct ConfigCheckOptions {
  std::string file;  // "-" is standard input
};

// Every problem of the file on err, a line each. Returns 0 if there is none, else 2.
int run_config_check(const ConfigCheckOptions& options, const text::Console& console);

struct ConfigPrintOptions {
  ConfigOutput output = ConfigOutput::yaml;
  Effective effective = {};
};

// All settings with where each comes from: YAML that --config takes again, with a comment on
// each line, or JSON {"config": …, "from": {"drain.delay": "config.yaml:3", …}}.
int run_config_print(const ConfigPrintOptions& options, const text::Console& console);

int run_config_schema(const text::Console& console);

}  // namespace tpuwh::server::settings
