// A Pod of a JobSet: a slice is one child Job, the slices of a replicated job (or of
// its group) are one multi-slice job.
//
// source: docs/facts.md#jobset
#pragma once

#include "webhook/workloads/table.hpp"

namespace tpuwh::webhook::workloads {

extern const Workload jobset_workload;

}  // namespace tpuwh::webhook::workloads
