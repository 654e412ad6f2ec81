// What else of a manifest may keep its slices from forming, beside what the webhook and the node
// pools say: fields that the API server, the scheduler, the kubelet or a controller acts on.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"
#include "kubectl/predict/explain/explanation.hpp"
#include "server/text/json.hpp"
#include "topology/catalog.hpp"

#include <map>
#include <string>
#include <vector>

namespace tpuwh::server::explain {

// What surely does is a finding; what does only if something is so that nobody sees from here is a
// note, which leaves the verdict alone.
struct Hindrances {
  std::vector<Finding> faults;
  std::vector<std::string> notes;
};

// Of a Pod as it is stored.
//
//   source  k8s.io/kubernetes 1.36: pkg/apis/core/validation/validation.go (validateContainers,
//           validateHostUsers), pkg/apis/core/v1/defaults.go (defaultHostNetworkPorts),
//           pkg/kubelet/util/util.go (GetNodenameForKernel); of PriorityClass and RuntimeClass
//           plugin/pkg/admission/{priority,runtimeclass}
Hindrances hindrances_of_pod(const Json& pod, const slices::SeenPod& seen);

// Of the object that makes them.
//
//   source  k8s.io/kubernetes 1.36: pkg/controller/job/job_controller.go (pastActiveDeadline,
//           managedByExternalController), pkg/controller/deployment/sync.go (sync: a paused one
//           gets no ReplicaSet); kuberay v1.5.1 rayjob_controller.go; jobset v0.12.0
std::vector<std::string> hindrances_of_object(const Json& object);

// More than the machine has in all is more than a node of it can give.
//
//   requests  of a Pod, by resource (outlook::requests_of)
std::vector<Finding> larger_than(const topology::MachineType& machine,
                                 const std::map<std::string, double>& requests);

}  // namespace tpuwh::server::explain
