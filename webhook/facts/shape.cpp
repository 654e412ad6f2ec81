#include "webhook/facts/shape.hpp"

#include "webhook/read/affinity.hpp"
#include "webhook/read/vocabulary.hpp"

namespace tpuwh::webhook::facts {

namespace {

// "<T>" of cloud.google.com/gke-tpu-slice-<T>-id and its kin; "" for another key.
std::string_view topology_in_key(std::string_view key) {
  if (key.size() < read::key::tpu_prefix.size() || !key.starts_with(read::key::tpu_prefix))
    return {};
  for (const std::string_view prefix : {read::key::slice_prefix, read::key::partition_prefix}) {
    if (!key.starts_with(prefix)) continue;
    key.remove_prefix(prefix.size());
    for (const std::string_view suffix : {"-id", "-state"})
      if (key.ends_with(suffix)) return key.substr(0, key.size() - suffix.size());
  }
  return {};
}

std::string_view topology_of_keys(const read::Pod& pod) {
  for (const read::Selector& selector : pod.node_selector)
    if (const auto found = topology_in_key(selector.key); !found.empty()) return found;
  for (const read::Requirement& requirement : read::node_requirements(pod))
    if (const auto found = topology_in_key(requirement.key); !found.empty()) return found;
  return {};
}

// The annotation repeats what the nodes are selected by, as Cluster Toolkit writes it into every
// JobSet (docs/facts.md#gcluster): a node pool of that topology, all of it. The Pods of a slice
// made on demand that select its topology also select the slice, or Kueue places them
// (docs/facts.md#dynamic-slices).
bool is_whole_pool(const read::Pod& pod, const Shape& shape) {
  return shape.topology == shape.selector_topology && !placed_by_kueue(pod);
}

void find_topology(const read::Pod& pod, Shape& shape) {
  const auto take = [&](std::string_view text, TopologySource source) {
    if (text.empty() || shape.source != TopologySource::none) return;
    shape.topology = text;
    shape.source = source;
  };
  shape.selector_topology = pod.selector(read::key::topology);
  if (shape.selector_topology.empty())
    shape.selector_topology = read::pinned_value(pod, read::key::topology);
  take(pod.annotation(read::Annotation::sub_slice_topology), TopologySource::sub_slice_annotation);
  take(pod.selector(read::key::topology), TopologySource::node_selector);
  take(read::pinned_value(pod, read::key::topology), TopologySource::node_affinity);
  take(pod.annotation(read::Annotation::topology), TopologySource::annotation);
  const std::string_view in_key = topology_of_keys(pod);
  take(in_key, TopologySource::slice_id_key);
  shape.block_selected = !in_key.empty() || !pod.selector(read::key::dynamic_slice).empty() ||
                         !read::pinned_value(pod, read::key::dynamic_slice).empty();
  shape.class_chooses =
      shape.source == TopologySource::none && !pod.selector(read::key::compute_class).empty();
  shape.dynamic = shape.block_selected || (shape.source == TopologySource::sub_slice_annotation &&
                                           !is_whole_pool(pod, shape));
}

}  // namespace

void Shape::clear() {
  processes.clear();
  init.clear();
  accelerator = topology = selector_topology = {};
  source = TopologySource::none;
  equal_chips = true;
  dynamic = block_selected = class_chooses = false;
}

bool read_shape(const read::Pod& pod, Shape& shape) {
  shape.clear();
  if (pod.containers.empty()) return false;
  for (const read::Container& container : pod.containers) {
    if (container.chips() == 0) continue;
    // A sidecar runs beside the processes and holds its chips; another init container has ended.
    if (container.init && !container.sidecar)
      shape.init.push_back(&container);
    else
      shape.processes.push_back(&container);
  }
  for (const read::Container* process : shape.processes)
    shape.equal_chips = shape.equal_chips && process->chips() == shape.processes.front()->chips();
  shape.accelerator = pod.selector(read::key::accelerator);
  if (shape.accelerator.empty())
    shape.accelerator = read::pinned_value(pod, read::key::accelerator);
  find_topology(pod, shape);
  return !shape.processes.empty() || !shape.init.empty();
}

void take_claims(const read::TakenClaims& claims, Shape& shape) {
  if (shape.accelerator.empty()) shape.accelerator = claims.accelerator;
  if (shape.source != TopologySource::none || claims.topology.empty()) return;
  shape.topology = claims.topology;
  shape.source = TopologySource::claim;
  shape.class_chooses = false;
}

bool placed_by_kueue(const read::Pod& pod) {
  return pod.has(read::Annotation::kueue_tas_required) ||
         pod.has(read::Annotation::kueue_tas_preferred) ||
         pod.has(read::Annotation::kueue_tas_unconstrained) ||
         pod.has(read::Annotation::kueue_tas_slice_required);
}

}  // namespace tpuwh::webhook::facts
