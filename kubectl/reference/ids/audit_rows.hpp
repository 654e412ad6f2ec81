// The checks of `audit`, in the order of its --help.
#pragma once

#include "kubectl/reference/ids/row.hpp"

namespace tpuwh::server::ids {

inline constexpr Row audit_rows[] = {
    {"TPU-701", "duplicate-worker-id", "error",
     "Two containers of a slice have the same TPU_WORKER_ID.",
     "Delete the Pods of the slice together, with tpu-webhook in place and without a TPU_WORKER_ID "
     "in the template."},
    {"TPU-702", "duplicate-member", "error",
     "Two Pods are the same member of a slice by their labels.",
     "Keep the Pod that belongs there, and delete the others."},
    {"TPU-703", "missing-worker-id", "error", "A TPU container has no TPU_WORKER_ID.",
     "Delete the Pods of the slice together, with tpu-webhook in place."},
    {"TPU-704", "worker-id-out-of-range", "error", "A TPU_WORKER_ID is out of range for its slice.",
     "Delete the Pods of the slice together, with tpu-webhook in place and without a TPU_WORKER_ID "
     "in the template."},
    {"TPU-705", "unmutated", "error",
     "A multi-host Pod has no TPU environment: it holds a slice that never forms.",
     "Delete the Pods of the slice together, with tpu-webhook in place."},
    {"TPU-706", "identity-not-known", "warn",
     "Nothing on a multi-host Pod shows which member it is.",
     "Use an API that numbers its Pods, or annotations, as TPU-202 says."},
    {"TPU-707", "bad-shape", "error",
     "The topology cannot be split into Pods with that many chips.",
     "Give the Pods a topology and a number of chips that match: `kubectl tpu catalog` lists "
     "them."},
    {"TPU-708", "incomplete", "warn", "Members, or whole slices of a job, are missing.",
     "If the slice is not just starting or ending, check why its Pods are not created."},
    {"TPU-709", "member-lost", "error",
     "A member failed and was not replaced, or its node was deleted or is not ready, or another "
     "container of its Pod keeps it from ending.",
     "Repair or delete the node, restart the workload, or make the other container a sidecar, as "
     "the message says."},
    {"TPU-710", "list-differs", "error",
     "Members have different TPU_WORKER_HOSTNAMES or TPU_PROCESS_ADDRESSES.",
     "Delete the Pods of the slice together, with tpu-webhook in place and without the variable in "
     "the template."},
    {"TPU-711", "list-length", "error", "A list does not have one entry per host or process.",
     "Delete the Pods of the slice together, with tpu-webhook in place and without the variable in "
     "the template."},
    {"TPU-712", "list-entry", "error", "Entry i of a list does not name the Pod with id i.",
     "Delete the Pods of the slice together, with tpu-webhook in place and without the variable in "
     "the template."},
    {"TPU-713", "process-port", "error",
     "TPU_PROCESS_PORT is not the port in the process's own entry.",
     "Remove TPU_PROCESS_PORT from the template, and delete the Pods of the slice together."},
    {"TPU-714", "no-subdomain", "error", "Members have no DNS names.",
     "Set spec.subdomain in the Pod template to a headless Service that selects the Pods."},
    {"TPU-715", "no-service", "error",
     "No headless Service has the name of the members' subdomain, selects them, and resolves them "
     "before they are Ready.",
     "Create or correct the Service, as the message says."},
    {"TPU-716", "split-pools", "error", "Members of a slice are on several node pools.",
     "Delete the Pods of the slice together, with tpu-webhook in place, which keeps a slice on one "
     "pool."},
    {"TPU-717", "shared-pool", "error", "Two multi-host slices are on one node pool.",
     "Delete the Pods of all but one of them, with tpu-webhook in place, which keeps slices "
     "apart."},
    {"TPU-718", "unfit-pool", "error",
     "A slice has started on a node pool that cannot hold the rest of it.",
     "Repair the pool, or restart the workload to start it on another."},
    {"TPU-719", "chips-per-node", "error", "A node has more or fewer chips than its Pod asks for.",
     "Ask for all chips of a node; repair or delete a node that has lost some."},
    {"TPU-720", "stray-slice-key", "error", "A Pod without chips carries the slice-key of a slice.",
     "Remove label tpu-webhook.dev/slice-key from the Pod and its template."},
    {"TPU-721", "megascale-differs", "error",
     "Members or slices of a job disagree on MEGASCALE variables.",
     "Delete the Pods of the job together, with tpu-webhook in place and without MEGASCALE "
     "variables in the template."},
    {"TPU-722", "megascale-slices", "error",
     "MEGASCALE_NUM_SLICES or MEGASCALE_SLICE_ID do not match the slices.",
     "Delete the Pods of the job together, with tpu-webhook in place and without MEGASCALE "
     "variables in the template."},
    {"TPU-723", "megascale-coordinator", "error", "The coordinator is not host 0 of slice 0.",
     "Set the coordinator to host 0 of slice 0, and delete the Pods of the job together."},
    {"TPU-724", "tpu-name-differs", "error", "Members of a slice have different TPU_NAMEs.",
     "Remove TPU_NAME from the template, and delete the Pods of the slice together."},
    {"TPU-725", "tpu-name-shared", "error", "Two slices have the same TPU_NAME.",
     "If Ray runs in the Pods, give each slice a TPU_NAME of its own before it starts."},
    {"TPU-726", "driver-differs", "error",
     "The driver of claims takes a node for another slice than the one that its Pod is of.",
     "Give the nodes of the slice label tpu.google.com/topology, start the driver on them again, "
     "and delete the Pods of the slice together."},
};
using AuditCheck = Name<audit_rows>;

}  // namespace tpuwh::server::ids
