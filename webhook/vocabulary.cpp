#include "webhook/vocabulary.hpp"

namespace tpuwh::webhook {

const std::array<Key, label_count> label_keys{{
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
    {"ray.io/node-type"},
    {"ray.io/cluster"},
    {"ray.io/group"},
    {"ray.io/worker-group-replica-index"},
    {"ray.io/worker-group-replica-name"},
    {"ray.io/replica-host-index"},
    {"replicaIndex"},
    {"kueue.x-k8s.io/queue-name"},
    {"slice-key", true},
    {"priority", true},
}};

const std::array<Key, annotation_count> annotation_keys{{
    {"batch.kubernetes.io/job-completion-index"},
    {"cloud.google.com/gke-tpu-slice-topology"},
    {"cloud.google.com/gke-tpu-topology"},
    {"alpha.jobset.sigs.k8s.io/exclusive-topology"},
    {"kueue.x-k8s.io/pod-suspending-parent"},
    {"kueue.x-k8s.io/podset-required-topology"},
    {"kueue.x-k8s.io/podset-preferred-topology"},
    {"kueue.x-k8s.io/podset-unconstrained-topology"},
    {"kueue.x-k8s.io/podset-slice-required-topology"},
    {"inject", true},
    {"exclusive-topology", true},
    {"injected", true},
    {"slice", true},
}};

const std::array<std::string_view, variable_count> variable_names{
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
};

namespace {

template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<Key, N>& keys, std::string_view text,
                         std::string_view prefix) {
  const bool ours = text.starts_with(prefix);
  const std::string_view rest = ours ? text.substr(prefix.size()) : text;
  for (std::size_t i = 0; i < N; ++i)
    if (keys[i].ours == ours && keys[i].text == rest) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace

std::string_view name(Variable variable) {
  return variable_names[static_cast<std::size_t>(variable)];
}

std::optional<Label> find_label(std::string_view key, std::string_view prefix) {
  return find<Label>(label_keys, key, prefix);
}

std::optional<Annotation> find_annotation(std::string_view key, std::string_view prefix) {
  return find<Annotation>(annotation_keys, key, prefix);
}

std::optional<Variable> find_variable(std::string_view name) {
  // Most variables of a Pod are the user's own: two letters decide about them.
  if (name.size() < 8 || (name[0] != 'T' && name[0] != 'M')) return std::nullopt;
  for (std::size_t i = 0; i < variable_count; ++i)
    if (variable_names[i] == name) return static_cast<Variable>(i);
  return std::nullopt;
}

}  // namespace tpuwh::webhook
