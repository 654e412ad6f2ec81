// Names that only a running cluster gives out are shown as what is known of them.
#pragma once

#include "kubectl/predict/expand/expand.hpp"
#include "kubectl/predict/explain/explanation.hpp"

#include <vector>

namespace tpuwh::server::explain {

// Writes "train-*" for "train-x1y2z" wherever the workload says it.
void show_made_up(const std::vector<expand::MadeUpName>& names, Workload& workload);

}  // namespace tpuwh::server::explain
