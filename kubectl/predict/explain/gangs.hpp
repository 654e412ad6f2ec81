// Gangs of the scheduler that wait for themselves: none of a gang's Pods is bound before all that
// it counts exist, and some controllers make most Pods only after one is bound or ready.
#pragma once

#include "kubectl/inspect/source/manifests.hpp"
#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/predict/explain/surroundings.hpp"
#include "server/text/json.hpp"

#include <span>
#include <string>
#include <vector>

namespace tpuwh::server::explain {

// Of a JobSet, LeaderWorkerSet, Job, StatefulSet, Deployment or ReplicaSet whose Pod templates name
// a PodGroup of the input. KubeRay up to v1.6.2 has no such field.
//
//   manifests  the input, of which other objects may name the same PodGroup
//   ns         of an object that names none
//   source  k8s.io/api/scheduling v1beta1, spec.schedulingPolicy.gang.minCount (1.37.2);
//           kubernetes pkg/scheduler/framework/plugins/gangscheduling (1.37.2); tried by
//           tests/e2e/by_label/test_groups.py
std::vector<Finding> gang_faults(const Json& object, std::span<const source::Manifest> manifests,
                                 const std::string& ns, const Surroundings& beside);

}  // namespace tpuwh::server::explain
