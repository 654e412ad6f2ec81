// The table of the findings TPU-651 to TPU-680: their ids, names, levels, descriptions and fixes.
// The admission policies of `kubectl tpu policy --team-rules` refuse an object with such a finding,
// or return a warning.
#pragma once

#include "kubectl/reference/ids/row.hpp"

namespace tpuwh::server::ids {

namespace rows {

inline constexpr Row of_policy[] = {
    {"TPU-651", "rule-namespace", "fail",
     "The namespace is not allowed to ask for TPUs, because no rule of the --team-rules file names "
     "the namespace.",
     "Ask whom the message names, or use a namespace that a rule names."},
    {"TPU-652", "rule-accelerator", "fail",
     "The Pod template selects an accelerator that the rule of the namespace does not allow, or "
     "selects no accelerator and could get any.",
     "Select one that the message names by cloud.google.com/gke-tpu-accelerator."},
    {"TPU-653", "rule-topology", "fail",
     "The Pod template selects a topology that the rule of the namespace does not allow, or "
     "selects no topology and could get any.",
     "Select one that the message names by cloud.google.com/gke-tpu-topology."},
    {"TPU-654", "rule-slice-chips", "fail",
     "A slice has more chips than the rule allows. The topology gives the number of chips: 4x4 has "
     "16.",
     "Select a smaller topology."},
    {"TPU-655", "rule-slices", "fail",
     "The object asks for more slices at a time than the rule allows. Each Pod without a topology "
     "counts as one slice.",
     "Ask for fewer replicas, or run the slices one after another."},
    {"TPU-656", "rule-chips", "fail",
     "The Pods of the object that run at the same time ask for more chips than the rule allows.",
     "Ask for fewer replicas or a smaller topology."},
    {"TPU-657", "rule-capacity", "fail",
     "The rule of the namespace does not allow the capacity that the node selector asks for: Spot, "
     "flex-start or a reservation. A node selector that names none of them asks for on-demand "
     "capacity.",
     "Select the capacity that the message names: cloud.google.com/gke-spot: \"true\", "
     "cloud.google.com/gke-flex-start: \"true\" or cloud.google.com/reservation-name."},
    {"TPU-658", "rule-name", "warn",
     "The object's name does not match the pattern of the rule. Bills and dashboards identify "
     "workloads by name.",
     "Name it by the pattern in the message."},
    {"TPU-659", "rule-resumable", "warn",
     "Spot or flex-start nodes can be deleted before the work ends, and the object does not show "
     "that its work can resume. Resuming requires both the annotation tpu-webhook.dev/checkpoint "
     "on "
     "the Pod template and a controller that recreates the Pods.",
     "Take checkpoints, name them in the annotation, and allow restarts: backoffLimit of a Job, "
     "failurePolicy.maxRestarts of a JobSet."},
    {"TPU-660", "rule-run-time", "warn",
     "The object can hold its chips for longer than the rule allows. Inside a JobSet, "
     "activeDeadlineSeconds limits each attempt, not all attempts together. On nodes with a "
     "maximum run time, Pods end when their node is deleted. ttlSecondsAfterFinished does not "
     "limit this time, because Pods that have ended hold no chips.",
     "Set activeDeadlineSeconds, or select cloud.google.com/gke-max-run-duration-seconds."},
    {"TPU-671", "label-required", "fail",
     "A label that the rule of the namespace asks for is missing from the Pod template, or has "
     "another value.",
     "Set the label on the Pod template: bills are split by the labels of Pods."},
    {"TPU-672", "queue-required", "fail", "The object is in no queue of Kueue.",
     "Set label kueue.x-k8s.io/queue-name to the queue of the namespace."},
    {"TPU-673", "image-not-allowed", "fail",
     "A container has an image that the rule of the namespace does not allow.",
     "Use an image that the message names, or have it copied there."},
    {"TPU-674", "image-without-digest", "fail", "A container has an image by tag.",
     "Name the image by its digest: NAME@sha256:..."},
    {"TPU-675", "image-latest", "fail", "A container has an image without a tag, or by latest.",
     "Name the image by a tag of its own, or by its digest."},
    {"TPU-676", "privileged", "fail", "A container is privileged.",
     "Remove securityContext.privileged: TPUs need it only on GKE before 1.28."},
    {"TPU-677", "host-path", "fail", "A Pod template has a volume that is a path of the node.",
     "Use a volume of another kind."},
    {"TPU-678", "host-network", "fail", "A Pod template uses the network of its node.",
     "Remove hostNetwork. Recipes that need it say so; ask for a namespace whose rule allows it."},
    {"TPU-679", "default-account", "fail",
     "Pods would run as the ServiceAccount default, which on GKE without Workload Identity is the "
     "account of the node.",
     "Create a ServiceAccount for the workload, and name it in serviceAccountName."},
    {"TPU-680", "key-in-text", "fail",
     "A variable whose name is that of a key has its value in the object.",
     "Keep the value in a Secret, and use valueFrom.secretKeyRef."},
};

}  // namespace rows

}  // namespace tpuwh::server::ids
