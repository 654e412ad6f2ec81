// The configuration file as a JSON schema (draft 7, which editors and helm read).
#pragma once

#include "server/settings/setting.hpp"
#include "server/text/json.hpp"

namespace tpuwh::server::settings {

// Accepts what parse_config() accepts, but for what a pattern cannot say (a port above 65535,
// a duration of more than a day). A test holds the two against each other.
Json config_schema();

}  // namespace tpuwh::server::settings
