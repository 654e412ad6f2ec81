// Why a Pod that lives does not run, by what scheduler and kubelet have written into its status.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "server/text/json.hpp"

namespace tpuwh::server::slices {

// Of spec.schedulingGates, condition PodScheduled, the init containers and the containers, in the
// order in which a Pod gets past them: the first that it is not past. Names and messages of others
// are made printable and cut; where something has restarted, how often and how it ended last.
//
//   shape   of a Pod that is Running its TPU containers alone count: `pod.processes` comes first
//   source  core/v1 PodStatus and ContainerState of k8s.io/api 1.36; the kubelet's reasons are its
//           own words (ContainerCreating, ImagePullBackOff, CrashLoopBackOff ...)
PodWait wait_of(const Json& object, const SeenPod& pod);

}  // namespace tpuwh::server::slices
