// The LeaderWorkerSets that LWS makes of a DisaggregatedSet: one for each role.
//   source  kubernetes-sigs/lws pkg/controllers/disaggregatedset/lws_manager.go,
//           pkg/utils/disaggregatedset/utils.go, pkg/webhooks/disaggregatedset/*.go,
//           api/disaggregatedset/v1/disaggregatedset_types.go, v0.9.0
//
// A part of their names is a hash of all templates, "train-1f2e3d4c-decode": it is made up, and
// shown as "*". An update makes the roles of a new hash beside those of the old one.
#pragma once

#include "kubectl/predict/wrappers/wrapper.hpp"

namespace tpuwh::server::wrappers {

//   faults  refused: fewer than two roles, roles with replicas beside roles without, a partition
//           or another type of its rolling update
Making make_of_disaggregated_set(const Json& object, const expand::Owner& self,
                                 const Beside& beside);

}  // namespace tpuwh::server::wrappers
