// Pods of a Deployment, a ReplicaSet and a StatefulSet.
#pragma once

#include "kubectl/predict/expand/children.hpp"
#include "kubectl/predict/expand/pod_template.hpp"

#include <cstdint>
#include <string>

namespace tpuwh::server::expand {

// Also of a ReplicaSet: spec.replicas, 1 where it is absent.
std::uint64_t count_replicas(const Json& object);

//   source  kubernetes/kubernetes pkg/controller/deployment/sync.go, v1.36.3
Result<void> expand_deployment(const Parent& deployment, const ExpandOptions& options,
                               const Visit& visit);
Result<void> expand_replica_set(const Parent& replica_set, const ExpandOptions& options,
                                const Visit& visit);
Result<void> expand_stateful_set(const Parent& stateful_set, const ExpandOptions& options,
                                 const Visit& visit);

// Its ReplicaSet; of a StatefulSet nothing that is made here.
Result<Children> children_of_deployment(const Parent& deployment);
Result<Children> children_of_stateful_set(const Parent& stateful_set);

// The Pods of a StatefulSet one by one, also of those that LeaderWorkerSet makes.
//
//   begin_stateful_pod  `claims` are its volumeClaimTemplates: a volume of each Pod each
//   set_ordinal         makes it the Pod of another ordinal
//   source  kubernetes/kubernetes pkg/controller/statefulset/stateful_set_utils.go, v1.36.3
Json begin_stateful_pod(const Json& pod_template, const Owner& set, const std::string& service,
                        const Json& claims);
void set_ordinal(Json& pod, const Owner& set, const Json& claims, std::uint64_t ordinal);

// What is wrong with volumeClaimTemplates: an array of objects with names.
Result<void> check_claims(const Json& parent, const std::string& path);

}  // namespace tpuwh::server::expand
