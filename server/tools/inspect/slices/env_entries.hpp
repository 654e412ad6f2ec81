// Where a container's env has a variable.
#pragma once

#include "webhook/read/vocabulary.hpp"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <string_view>

namespace tpuwh::server::slices {

// By Variable; null where there is no entry. Of a name that stands twice the last counts.
using EnvEntries = std::array<const nlohmann::ordered_json*, webhook::read::variable_count>;

// `container` outlives them.
EnvEntries env_entries(const nlohmann::ordered_json& container);

// The same of any variable.
const nlohmann::ordered_json* env_entry(const nlohmann::ordered_json& container,
                                        std::string_view name);

}  // namespace tpuwh::server::slices
