#include "server/explain/object_pods.hpp"

#include "server/explain/placement_words.hpp"
#include "server/explain/pod_json.hpp"
#include "server/explain/wanted.hpp"
#include "webhook/read/vocabulary.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <utility>

namespace tpuwh::server::explain {

namespace {

// Of a larger slice, whose node pools are others.
bool is_part(const nlohmann::ordered_json& pod, const slices::SeenPod& seen) {
  return seen.placed_by_others && !selector(pod, webhook::read::key::topology).empty();
}

}  // namespace

void ObjectPods::add(const AnsweredPod& pod, outlook::WantedWorkload& wanted) {
  if (!gatherer_.add(pod)) return;
  add_slice(wanted, pod.after, pod.seen, prefix_);
  if (gatherer_.groups() > groups_.size()) {
    groups_.push_back({.placement = placement_words(pod.after, pod.seen, prefix_),
                       .capacity = capacity_of(pod.after, pod.seen),
                       .part = is_part(pod.after, pod.seen)});
    for (std::string& note : beside_.notes(pod.after)) notes_.push_back(std::move(note));
  }
  if (!services_of_input_) return;
  for (Finding& each : beside_.service_faults(pod.after, pod.seen)) findings.add(std::move(each));
}

void ObjectPods::finish(Workload& workload) {
  workload.groups = gatherer_.finish();
  for (std::size_t i = 0; i < workload.groups.size(); ++i) {
    Group& group = workload.groups[i];
    group.placement = std::move(groups_[i].placement);
    group.pool_options = std::move(groups_[i].capacity);
    group.pool_options.slices = static_cast<std::uint32_t>(group.slices.size());
    if (!groups_[i].part)
      group.pool =
          topology::find_node_pool(group.accelerator, group.topology, group.chips_per_host);
  }
  workload.findings = findings.take();
  workload.notes.insert(workload.notes.end(), notes_.begin(), notes_.end());
  workload.refused_pods = refused_;
  workload.other_pods = others_;
}

}  // namespace tpuwh::server::explain
