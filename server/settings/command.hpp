// `tpu-webhook config`: is a file right, what is in force, what may stand in a file.
#pragma once

#include "server/settings/layers.hpp"

#include <iosfwd>
#include <string>

namespace tpuwh::server::settings {

enum class ConfigOutput { yaml, json };

// Every problem of the file ("-": `in`) on `err`, a line each. Returns 0 if there is none, else 2.
int run_config_check(const std::string& file, std::istream& in, std::ostream& out,
                     std::ostream& err);

// All settings with where each comes from: YAML that --config takes again, with a comment on
// each line, or JSON {"config": …, "from": {"drain.delay": "config.yaml:3", …}}.
int run_config_print(const Effective& effective, ConfigOutput output, std::ostream& out);

int run_config_schema(std::ostream& out);

}  // namespace tpuwh::server::settings
