// Where a container's env has the variables of the webhook.
#pragma once

#include "webhook/read/vocabulary.hpp"

#include <nlohmann/json_fwd.hpp>

#include <array>

namespace tpuwh::server::slices {

// By Variable; null where there is no entry. Of a name that stands twice the last counts.
using EnvEntries = std::array<const nlohmann::ordered_json*, webhook::read::variable_count>;

// `container` outlives them.
EnvEntries env_entries(const nlohmann::ordered_json& container);

}  // namespace tpuwh::server::slices
