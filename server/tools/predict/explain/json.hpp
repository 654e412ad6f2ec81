// An explanation for programs: everything, never folded. docs/explain.schema.json describes it.
#pragma once

#include "server/tools/predict/explain/explanation.hpp"

#include <nlohmann/json_fwd.hpp>

namespace tpuwh::server::explain {

nlohmann::ordered_json json(const Explanation& explanation);

}  // namespace tpuwh::server::explain
