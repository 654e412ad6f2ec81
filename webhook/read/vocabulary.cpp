#include "webhook/read/vocabulary.hpp"

#include <cstdint>

namespace tpuwh::webhook::read {

constexpr std::array<Key, label_count> label_keys{{
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

constexpr std::array<Key, annotation_count> annotation_keys{{
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
    "TORCH_TPU_TOPOLOGY",
    "TORCH_TPU_SLICEBUILDER_ADDRESSES",
    "TPU_PROCESS_ADDRESSES_PATH",
};

namespace {

// Keys in the order of their lengths: of the twenty labels of a Pod most have a
// length that no key of ours has.
template <std::size_t N>
struct ByLength {
  static constexpr std::size_t longest = 64;
  std::array<std::uint8_t, N> index{};
  std::array<std::uint8_t, longest + 2> begin{};

  constexpr explicit ByLength(const std::array<Key, N>& keys) {
    std::size_t filled = 0;
    for (std::size_t length = 0; length <= longest; ++length) {
      begin[length] = static_cast<std::uint8_t>(filled);
      for (std::size_t i = 0; i < N; ++i)
        if (keys[i].text.size() == length) index[filled++] = static_cast<std::uint8_t>(i);
    }
    begin[longest + 1] = static_cast<std::uint8_t>(filled);
  }
};

constexpr ByLength labels_by_length(label_keys);
constexpr ByLength annotations_by_length(annotation_keys);

template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<Key, N>& keys, const ByLength<N>& by_length,
                         std::string_view text, std::string_view prefix) {
  if (text.empty()) return std::nullopt;
  // The first character decides about most keys.
  const bool ours = text.front() == prefix.front() && text.starts_with(prefix);
  if (ours) text.remove_prefix(prefix.size());
  if (text.size() > ByLength<N>::longest) return std::nullopt;
  for (std::size_t i = by_length.begin[text.size()]; i < by_length.begin[text.size() + 1]; ++i) {
    const Key& key = keys[by_length.index[i]];
    if (key.ours == ours && key.text.back() == text.back() && key.text == text)
      return static_cast<Enum>(by_length.index[i]);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(Variable variable) {
  return variable_names[static_cast<std::size_t>(variable)];
}

std::optional<Label> find_label(std::string_view key, std::string_view prefix) {
  return find<Label>(label_keys, labels_by_length, key, prefix);
}

std::optional<Annotation> find_annotation(std::string_view key, std::string_view prefix) {
  return find<Annotation>(annotation_keys, annotations_by_length, key, prefix);
}

std::optional<Variable> find_variable(std::string_view name) {
  // Most variables of a Pod are the user's own: two letters decide about them.
  if (name.size() < 8 || (name[0] != 'T' && name[0] != 'M')) return std::nullopt;
  for (std::size_t i = 0; i < variable_count; ++i)
    if (variable_names[i] == name) return static_cast<Variable>(i);
  return std::nullopt;
}

}  // namespace tpuwh::webhook::read
