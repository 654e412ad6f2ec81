#include "server/explain/object_pods.hpp"

#include "server/explain/jax_variables.hpp"
#include "server/explain/no_node.hpp"
#include "server/explain/placement_words.hpp"
#include "server/explain/pod_json.hpp"
#include "server/explain/say_once.hpp"
#include "server/explain/wanted.hpp"
#include "server/outlook/made_pool.hpp"
#include "server/outlook/pod_sets.hpp"
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
  if (auto fault = told_jax_ ? std::nullopt : jax_fault(pod.after, pod.seen)) {
    told_jax_ = true;
    findings.add(*std::move(fault));
  }
  if (!gatherer_.add(pod)) return;
  add_slice(wanted, pod.after, pod.seen, prefix_);
  if (gatherer_.groups() > groups_.size()) {
    for (Finding& each : no_node_faults(pod.before, pod.seen)) findings.add(std::move(each));
    groups_.push_back(
        {.placement = placement_words(pod.after, pod.seen, prefix_, !wanted.queue.empty()),
         .sample = wanted.slices.back(),
         .dynamic = is_made_of_blocks(pod.after, pod.seen),
         .part = is_part(pod.after, pod.seen),
         .networks = beside_.claims_networks(pod.after, pod.seen.ns),
         .no_pool = why_no_pool(pod.before),
         .jobs_apart = {}});
    for (std::string& note : beside_.notes(pod.after)) notes_.push_back(std::move(note));
  }
  if (std::string job = job_on_its_own_pool(pod.after, pod.seen); !job.empty())
    groups_.back().jobs_apart.insert(std::move(job));  // the slices of a group come together
  if (!services_of_input_) return;
  for (Finding& each : beside_.service_faults(pod.after, pod.seen)) findings.add(std::move(each));
}

void ObjectPods::make_pool(const OfGroup& of, Group& group) const {
  const outlook::Member member(of.sample, prefix_);
  const auto count = static_cast<std::uint32_t>(group.slices.size());
  const auto jobs = static_cast<std::uint32_t>(of.jobs_apart.size());
  const std::uint32_t each = jobs == 0 ? 0 : (count + jobs - 1) / jobs;
  outlook::MadePool made = outlook::made_pool(
      member,
      {.slices = count, .each_pool = each, .of_blocks = of.dynamic, .networks = of.networks});
  group.pool = made.pool;
  group.pool_options = std::move(made.options);
  group.no_pool = of.no_pool.empty() ? std::move(made.why_not) : of.no_pool;
}

std::string ObjectPods::why_no_pool(const nlohmann::ordered_json& pod) const {
  const auto found = not_decided.find(outlook::pod_set_name(pod));
  return found == not_decided.end() ? "" : found->second;
}

void ObjectPods::finish(Workload& workload) {
  workload.groups = gatherer_.finish();
  for (std::size_t i = 0; i < workload.groups.size(); ++i) {
    Group& group = workload.groups[i];
    group.placement = std::move(groups_[i].placement);
    if (!groups_[i].part) make_pool(groups_[i], group);
  }
  workload.findings = findings.take();
  if (shape_of_class)
    std::erase_if(workload.findings, [](const Finding& finding) {
      return finding.pods == 0 && finding.id == "TPU-105";
    });
  say_once(workload.findings);
  workload.notes.insert(workload.notes.end(), notes_.begin(), notes_.end());
  workload.refused_pods = refused_;
  workload.other_pods = others_;
}

}  // namespace tpuwh::server::explain
