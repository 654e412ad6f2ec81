// A Pod of no API that gives its Pods an index: plain, of a Deployment, or of an
// owner we do not know. Each is a slice of its own, if it has one host.
#pragma once

#include "webhook/workloads/table.hpp"

namespace tpuwh::webhook::workloads {

extern const Workload pod_workload;

}  // namespace tpuwh::webhook::workloads
