// What `explain` finds in a manifest beside what the webhook says of it; no-service is of
// audit_rows.hpp.
#pragma once

#include "server/tools/reference/ids/audit_rows.hpp"

namespace tpuwh::server::ids {

inline constexpr Row explain_rows[] = {
    {"TPU-801", "no-node", "warn",
     "No node has what the Pods select or request, their hosts would have to share one, or the API "
     "server or the kubelet refuses them.",
     "Remove or change the field that the message names."},
    {"TPU-802", "quota", "warn", "The quota of the workload's queue does not suffice.",
     "Raise the quota of the ClusterQueue, or ask for less."},
    {"TPU-803", "kueue-topology", "warn",
     "Annotations of Kueue ask for more Pods in one domain than it holds, or for other parts than "
     "slices.",
     "Require a node pool for each slice, of as many Pods as it has hosts."},
    {"TPU-804", "jax", "warn",
     "A JAX variable that the manifest sets differs from this Pod's place in the slice.",
     "Remove it: JAX finds these values in the variables of the slice."},
    {"TPU-805", "env-from", "warn",
     "A container takes a variable of the slice from a ConfigMap by envFrom.",
     "Write it into env of the container, where it stays, or take it out of the ConfigMap."},
    {"TPU-806", "host-names", "warn",
     "TPU_WORKER_HOSTNAMES of a slice of one host has several names.",
     "Use groups of one Pod, or a topology of as many hosts; elsewhere leave the variable out."},
    {"TPU-807", "ray-chips", "warn",
     "The resources that Ray is told of have another number of chips than the container.",
     "Leave TPU out of resources: KubeRay takes it from the container's limit."},
    {"TPU-808", "read", "warn",
     "The file says something that no reader keeps, such as a key twice.",
     "Write the object as the message says."},
};

// A name of one of them, or of audit_rows.
consteval const char* of_explain(const char* name) {
  if (std::ranges::find(explain_rows, std::string_view(name), &Row::name) == std::end(explain_rows))
    AuditCheck{name};
  return name;
}

}  // namespace tpuwh::server::ids
