// StatefulSet: consecutive ordinals are the hosts of a slice, slice after slice.
#pragma once

#include "webhook/workloads/table.hpp"

namespace tpuwh::webhook::workloads {

// spec.ordinals.start is not on the Pod; the annotation start-ordinal on the Pod template
// says it again where it is not 0 (docs/decisions/0004). Without, ordinal 0 is host 0 of slice 0.
extern const Workload statefulset_workload;

}  // namespace tpuwh::webhook::workloads
