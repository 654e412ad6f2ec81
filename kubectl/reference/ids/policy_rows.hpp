// What admission policies of `kubectl tpu policy --team-rules` refuse beside what the webhook warns
// of: nothing of it needs to know a slice.
#pragma once

#include "kubectl/reference/ids/row.hpp"

namespace tpuwh::server::ids {

namespace rows {

inline constexpr Row of_policy[] = {
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
