// What a replica says of itself, by its metrics.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::doctor {

struct MetricLine {
  std::string resource;  // the label's value; "" without labels
  double value;
};

// The lines `NAME{resource="pods"} 12.5` or `NAME 12.5`; none where the replica was not reached
// or says nothing of it.
std::vector<MetricLine> lines_of(const Replica& replica, std::string_view name);

}  // namespace tpuwh::server::doctor
