// The leader and the workers of a LeaderWorkerSet: a group, or a subgroup, is a slice.
#pragma once

#include "webhook/validate/checker.hpp"

namespace tpuwh::webhook::validate {

// False where it cannot be read.
//
//   source  leaderworkerset.x-k8s.io/v1 LeaderWorkerSetSpec; docs/facts.md#lws
bool check_leader_worker_set(Checker& checker, base::json::Reader::Mark spec);

}  // namespace tpuwh::webhook::validate
