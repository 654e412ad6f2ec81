// Where a container's env has a variable.
#pragma once

#include "server/text/json.hpp"
#include "webhook/read/vocabulary.hpp"

#include <array>
#include <string_view>

namespace tpuwh::server::slices {

// By Variable; null where there is no entry. Of a name that stands twice the last counts.
using EnvEntries = std::array<const Json*, webhook::read::variable_count>;

// `container` outlives them.
EnvEntries env_entries(const Json& container);

// The same of any variable.
const Json* env_entry(const Json& container, std::string_view name);

}  // namespace tpuwh::server::slices
