// The keys and variables this program knows, each with who writes it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tpuwh::webhook::read {

// Pod labels that decisions read.
enum class Label : std::size_t {
  job_completion_index,  // Job controller, since 1.28 also a label
  job_name,              // Job controller
  job_name_legacy,       // Job controller, older spelling
  job_uid,               // Job controller
  jobset_name,           // JobSet, and so on to job_group_index
  jobset_replicated_job,
  jobset_replicas,  // of the replicated job
  jobset_job_index,
  jobset_group_name,
  jobset_group_replicas,
  jobset_job_group_index,
  jobset_coordinator,
  ray_node_type,  // KubeRay, and so on to ray_host_index
  ray_cluster,
  ray_group,
  ray_replica_index,  // KubeRay with RayMultiHostIndexing
  ray_replica_name,
  ray_host_index,
  lws_name,  // LeaderWorkerSet; the indices are written by its webhook
  lws_group_index,
  lws_worker_index,
  pod_index,         // StatefulSet controller: the ordinal
  replica_index,     // ours; Ray's autoscaler reads it
  kueue_queue_name,  // Kueue
  slice_key,         // ours (prefix)
  token,             // ours (prefix): webhook/ledger/token.hpp
  priority,          // ours (prefix)
  count_
};

enum class Annotation : std::size_t {
  job_completion_index,  // Job controller
  sub_slice_topology,    // user: a part of a slice, or a dynamic slice
  topology,              // user, with auto-provisioned slices
  skip_check,            // user, xpk: docs/facts.md#skip-tpu-webhook-check
  jobset_exclusive,      // user, copied by JobSet
  lws_size,              // LeaderWorkerSet, and so on to lws_subgroup_exclusive
  lws_leader_requests_tpus,
  lws_subdomain_policy,
  lws_subgroup_size,
  lws_subgroup_policy,
  lws_exclusive,
  lws_subgroup_exclusive,
  kueue_suspending_parent,  // Kueue: its Pod integration manages this Pod
  kueue_tas_required,       // user: Kueue's topology-aware scheduling
  kueue_tas_preferred,
  kueue_tas_unconstrained,
  kueue_tas_slice_required,
  start_ordinal,  // ours, written by users (prefix), and so on to exclusive_topology
  worker_id,
  worker_count,
  hostnames,
  slice_id,
  slice_count,
  coordinator,
  inject,
  exclusive_topology,
  injected,  // ours (prefix)
  slice,     // ours (prefix)
  probe,     // ours, written by who asks whether we answer (prefix): webhook/answer/probe.hpp
  count_
};

// Variables that we write or that decide what we write.
enum class Variable : std::size_t {
  // in the order in which they are inserted
  megascale_num_slices,
  megascale_slice_id,
  megascale_coordinator_address,
  megascale_port,
  tpu_worker_hostnames,
  tpu_process_addresses,
  tpu_process_port,
  tpu_worker_id,
  tpu_name,
  tpu_device_plugin_host_ip,  // before the one below, which refers to it
  tpu_device_plugin_addr,
  torch_tpu_topology,
  torch_tpu_slicebuilder_addresses,
  // Variables that only a user sets and that are never inserted. libtpu and JAX read these
  // variables together with those above (docs/facts.md#addresses-in-a-file). A new variable is
  // added at the end, because the number of a variable is part of a stored digest.
  tpu_process_addresses_path,
  tpu_host_bounds,
  tpu_process_bounds,
  tpu_chips_per_host_bounds,
  tpu_chips_per_process_bounds,
  count_
};

inline constexpr std::size_t label_count = static_cast<std::size_t>(Label::count_);
inline constexpr std::size_t annotation_count = static_cast<std::size_t>(Annotation::count_);
inline constexpr std::size_t variable_count = static_cast<std::size_t>(Variable::count_);

// A key of ours is written without the prefix here ("slice-key").
struct Key {
  std::string_view text;
  bool ours = false;
};
inline constexpr std::array<Key, label_count> label_keys{{
    {"batch.kubernetes.io/job-completion-index"},
    {"batch.kubernetes.io/job-name"},
    {"job-name"},
    {"batch.kubernetes.io/controller-uid"},
    {"jobset.sigs.k8s.io/jobset-name"},
    {"jobset.sigs.k8s.io/replicatedjob-name"},
    {"jobset.sigs.k8s.io/replicatedjob-replicas"},
    {"jobset.sigs.k8s.io/job-index"},
    {"jobset.sigs.k8s.io/group-name"},
    {"jobset.sigs.k8s.io/group-replicas"},
    {"jobset.sigs.k8s.io/job-group-index"},
    {"jobset.sigs.k8s.io/coordinator"},
    {"ray.io/node-type"},
    {"ray.io/cluster"},
    {"ray.io/group"},
    {"ray.io/worker-group-replica-index"},
    {"ray.io/worker-group-replica-name"},
    {"ray.io/replica-host-index"},
    {"leaderworkerset.sigs.k8s.io/name"},
    {"leaderworkerset.sigs.k8s.io/group-index"},
    {"leaderworkerset.sigs.k8s.io/worker-index"},
    {"apps.kubernetes.io/pod-index"},
    {"replicaIndex"},
    {"kueue.x-k8s.io/queue-name"},
    {"slice-key", true},
    {"token", true},
    {"priority", true},
}};

inline constexpr std::array<Key, annotation_count> annotation_keys{{
    {"batch.kubernetes.io/job-completion-index"},
    {"cloud.google.com/gke-tpu-slice-topology"},
    {"cloud.google.com/gke-tpu-topology"},
    {"cloud.google.com/skip-tpu-webhook-check"},
    {"alpha.jobset.sigs.k8s.io/exclusive-topology"},
    {"leaderworkerset.sigs.k8s.io/size"},
    {"leaderworkerset.sigs.k8s.io/leader-requests-tpus"},
    {"leaderworkerset.sigs.k8s.io/subdomainPolicy"},
    {"leaderworkerset.sigs.k8s.io/subgroup-size"},
    {"leaderworkerset.sigs.k8s.io/subgroup-policy-type"},
    {"leaderworkerset.sigs.k8s.io/exclusive-topology"},
    {"leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"},
    {"kueue.x-k8s.io/pod-suspending-parent"},
    {"kueue.x-k8s.io/podset-required-topology"},
    {"kueue.x-k8s.io/podset-preferred-topology"},
    {"kueue.x-k8s.io/podset-unconstrained-topology"},
    {"kueue.x-k8s.io/podset-slice-required-topology"},
    {"start-ordinal", true},
    {"worker-id", true},
    {"worker-count", true},
    {"hostnames", true},
    {"slice-id", true},
    {"slice-count", true},
    {"coordinator", true},
    {"inject", true},
    {"exclusive-topology", true},
    {"injected", true},
    {"slice", true},
    {"probe", true},
}};

// As it is spelled on an object; of one of ours without the prefix.
constexpr std::string_view spelled(Label label) {
  return label_keys[static_cast<std::size_t>(label)].text;
}
constexpr std::string_view spelled(Annotation annotation) {
  return annotation_keys[static_cast<std::size_t>(annotation)].text;
}

inline constexpr std::array<std::string_view, variable_count> variable_names{
    "MEGASCALE_NUM_SLICES",
    "MEGASCALE_SLICE_ID",
    "MEGASCALE_COORDINATOR_ADDRESS",
    "MEGASCALE_PORT",
    "TPU_WORKER_HOSTNAMES",
    "TPU_PROCESS_ADDRESSES",
    "TPU_PROCESS_PORT",
    "TPU_WORKER_ID",
    "TPU_NAME",
    "TPU_DEVICE_PLUGIN_HOST_IP",
    "TPU_DEVICE_PLUGIN_ADDR",
    "TORCH_TPU_TOPOLOGY",
    "TORCH_TPU_SLICEBUILDER_ADDRESSES",
    "TPU_PROCESS_ADDRESSES_PATH",
    "TPU_HOST_BOUNDS",
    "TPU_PROCESS_BOUNDS",
    "TPU_CHIPS_PER_HOST_BOUNDS",
    "TPU_CHIPS_PER_PROCESS_BOUNDS",
};

constexpr std::string_view name(Variable variable) {
  return variable_names[static_cast<std::size_t>(variable)];
}

// Null for what is not in the table. `prefix` is Config::prefix.
std::optional<Label> find_label(std::string_view key, std::string_view prefix);
std::optional<Annotation> find_annotation(std::string_view key, std::string_view prefix);
std::optional<Variable> find_variable(std::string_view name);

// Node labels and the resource.
namespace key {
inline constexpr std::string_view tpu = "google.com/tpu";
// A DeviceClass of the TPU driver, and the resource that each class has
// (docs/facts.md#dra-extended-resource).
inline constexpr std::string_view tpu_class = "tpu.google.com";
inline constexpr std::string_view class_resource = "deviceclass.resource.kubernetes.io/";
inline constexpr std::string_view tpu_of_class =
    "deviceclass.resource.kubernetes.io/tpu.google.com";
inline constexpr std::string_view accelerator = "cloud.google.com/gke-tpu-accelerator";
inline constexpr std::string_view topology = "cloud.google.com/gke-tpu-topology";
inline constexpr std::string_view accelerator_count = "cloud.google.com/gke-accelerator-count";
inline constexpr std::string_view node_pool = "cloud.google.com/gke-nodepool";
inline constexpr std::string_view tpu_prefix = "cloud.google.com/gke-tpu-";
inline constexpr std::string_view slice_prefix = "cloud.google.com/gke-tpu-slice-";
inline constexpr std::string_view partition_prefix = "cloud.google.com/gke-tpu-partition-";
inline constexpr std::string_view dynamic_slice = "cloud.google.com/gke-tpu-slice";
inline constexpr std::string_view compute_class = "cloud.google.com/compute-class";
inline constexpr std::string_view provisioning = "cloud.google.com/gke-provisioning";
inline constexpr std::string_view spot = "cloud.google.com/gke-spot";
inline constexpr std::string_view flex_start = "cloud.google.com/gke-flex-start";
inline constexpr std::string_view reservation = "cloud.google.com/reservation-name";
inline constexpr std::string_view jobset_namespaced_job = "alpha.jobset.sigs.k8s.io/namespaced-job";
inline constexpr std::string_view kueue_gate_prefix = "kueue.x-k8s.io/";
}  // namespace key

// The resources that ask for chips in every cluster. The DeviceClasses of a cluster determine which
// other resources ask for chips (ClaimSource::resource).
inline constexpr std::array chip_resources{key::tpu, key::tpu_of_class};
constexpr bool asks_for_chips(std::string_view resource) {
  return resource == key::tpu || resource == key::tpu_of_class;
}

}  // namespace tpuwh::webhook::read
