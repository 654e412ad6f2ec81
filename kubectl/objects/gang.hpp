// Gangs of the scheduler: a PodGroup whose Pods are bound together or not at all (KEP-4671).
//
//   source  k8s.io/api/scheduling/v1beta1 (1.37.2): spec.schedulingPolicy.gang.minCount of a
//           PodGroup, spec.schedulingGroup.podGroupName of a Pod
#pragma once

#include "server/text/json_text.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tpuwh::server::objects {

// How many Pods a PodGroup binds together; 0 where it is no gang.
std::uint64_t gang_size(const Json& pod_group);

// The PodGroup that a Pod or Pod template names; "" if none.
std::string pod_group_of(const Json& pod);

// Exclusive placement of JobSet's or LeaderWorkerSet's own, by which most Pods come only after
// another one is bound: a gang that counts them waits for itself.
struct Followers {
  std::string annotation, why;
};
// Of a JobSet, a Job's template in it, a LeaderWorkerSet, or a Pod of one.
//
//   source  jobset pkg/webhooks/pod_admission_webhook.go (v0.12.0), lws
//           pkg/controllers/pod_controller.go (v0.9.0)
std::optional<Followers> followers_of(const Json& object);

}  // namespace tpuwh::server::objects
