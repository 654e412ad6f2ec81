// An explanation for programs: everything, never folded. docs/explain.schema.json describes it.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "server/text/json.hpp"

namespace tpuwh::server::explain {

Json json(const Explanation& explanation);

}  // namespace tpuwh::server::explain
