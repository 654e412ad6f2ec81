// A made-up workload API: a Rack has shelves, and each shelf's Pods are slices, one after the
// other.
#pragma once

#include "webhook/workloads/table.hpp"

namespace tpuwh::webhook::workloads {

extern const Workload rack_workload;

}  // namespace tpuwh::webhook::workloads
