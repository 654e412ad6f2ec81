// What `explain` finds in a manifest beside what the webhook says of it; no-service is of
// audit_rows.hpp.
#pragma once

#include "kubectl/reference/ids/audit_rows.hpp"

namespace tpuwh::server::ids {

inline constexpr Row explain_rows[] = {
    {"TPU-801", "no-node", "warn",
     "No node has the labels and resources that the Pods ask for, several hosts of a slice would "
     "share a node, or the API server or the kubelet refuses the Pods.",
     "Remove or change the field that the message names."},
    {"TPU-802", "quota", "warn", "The quota of the workload's queue is too small.",
     "Raise the quota of the ClusterQueue, or ask for less."},
    {"TPU-803", "kueue-topology", "warn",
     "Annotations of Kueue ask for more Pods in one domain than it holds, or divide the workload "
     "into parts that are not slices.",
     "Require one node pool for each slice, with as many Pods as the slice has hosts."},
    {"TPU-804", "jax", "warn",
     "A JAX variable that the manifest sets differs from this Pod's place in the slice.",
     "Remove it: JAX finds these values in the variables of the slice."},
    {"TPU-805", "env-from", "warn",
     "A container takes a variable of the slice from a ConfigMap by envFrom.",
     "Write it into env of the container, where it is kept, or remove it from the ConfigMap."},
    {"TPU-806", "host-names", "warn",
     "TPU_WORKER_HOSTNAMES of a slice of one host has several names.",
     "For a LeaderWorkerSet use groups of one Pod, or a topology with as many hosts; otherwise "
     "remove the variable."},
    {"TPU-807", "ray-chips", "warn",
     "The resources reported to Ray have a different number of chips than the container.",
     "Remove TPU from resources: KubeRay takes it from the container's limit."},
    {"TPU-808", "read", "warn",
     "The file contains something that no reader keeps, such as a duplicate key.",
     "Write the object as the message says."},
    {"TPU-809", "gang", "warn",
     "A gang of the scheduler waits for Pods that its workload creates only after one of them is "
     "bound or ready.",
     "Let the workload create its Pods at once, or count fewer in the gang."},
    {"TPU-810", "not-made", "warn",
     "What the controller of an object makes is not known, or not all of it.",
     "Add the object that the message names to the input, or correct the path of the rule."},
    {"TPU-811", "network-policy", "warn",
     "A NetworkPolicy of the input keeps the Pods of a slice from reaching each other.",
     "Admit the ports between these Pods: `kubectl tpu explain FILE -o network-policy` prints a "
     "NetworkPolicy that does."},
};

// A name of one of them, or of audit_rows.
consteval const char* of_explain(const char* name) {
  if (std::ranges::find(explain_rows, std::string_view(name), &Row::name) == std::end(explain_rows))
    AuditCheck{name};
  return name;
}

}  // namespace tpuwh::server::ids
