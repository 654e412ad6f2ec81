// LeaderWorkerSet: a group, or each of its subgroups, is a slice. Its own webhook injects
// a TPU environment too, before or after ours; what it wrote stays, and the
// ids and lists that are computed here are the same (docs/facts.md#lws).
#pragma once

#include "webhook/workloads/table.hpp"

namespace tpuwh::webhook::workloads {

extern const Workload lws_workload;

}  // namespace tpuwh::webhook::workloads
