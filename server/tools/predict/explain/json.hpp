// An explanation for programs: everything, never folded. docs/explain.schema.json describes it.
#pragma once

#include "server/text/json.hpp"
#include "server/tools/predict/explain/explanation.hpp"

namespace tpuwh::server::explain {

Json json(const Explanation& explanation);

}  // namespace tpuwh::server::explain
