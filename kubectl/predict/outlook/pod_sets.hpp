// The Pod sets of a workload as Kueue counts them: Pods of one template, and what they ask for
// together.
#pragma once

#include "kubectl/predict/outlook/outlook.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::outlook {

// What a Pod asks for of each resource: containers and sidecars together, an init container alone
// where that is more, and its overhead. Where a request is missing its limit counts; nothing is
// left out but zeros.
//
//   source  kueue pkg/workload/resources.go, pkg/util/resource (ff69552); k8s.io/component-helpers
//           resource PodRequests
std::map<std::string, double> requests_of(const Json& pod);

// "slice" of a replicated job, "headgroup" and the names of the worker groups of a RayCluster,
// "leader" and "workers" of a LeaderWorkerSet, "main" elsewhere.
std::string pod_set_name(const Json& pod);

// Counts a Pod, as its template has it, to its set.
void add_to_pod_sets(const Json& pod, std::vector<PodSet>& sets);

// Without a program, its variables and its volumes: what the scheduler and Kueue look at.
Json as_scheduled(const Json& pod);

}  // namespace tpuwh::server::outlook
