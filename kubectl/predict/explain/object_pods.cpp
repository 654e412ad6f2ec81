#include "kubectl/predict/explain/object_pods.hpp"

#include "base/counted.hpp"
#include "base/names.hpp"
#include "kubectl/predict/explain/claims.hpp"
#include "kubectl/predict/explain/env_from.hpp"
#include "kubectl/predict/explain/hindrances.hpp"
#include "kubectl/predict/explain/jax_variables.hpp"
#include "kubectl/predict/explain/kueue_topology.hpp"
#include "kubectl/predict/explain/lone_host.hpp"
#include "kubectl/predict/explain/no_node.hpp"
#include "kubectl/predict/explain/placement_words.hpp"
#include "kubectl/predict/explain/pod_groups.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "kubectl/predict/explain/say_once.hpp"
#include "kubectl/predict/explain/wanted.hpp"
#include "kubectl/predict/outlook/made_pool.hpp"
#include "kubectl/predict/outlook/pod_sets.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace tpuwh::server::explain {

namespace {

// Slices of one host are jobs of their own until somebody says otherwise: of what trains, that is
// worth a word (docs/decisions/0025-slices-of-one-host-and-of-any-nodes.md).
std::string apart_words(const Group& group, std::string_view kind, std::string_view prefix) {
  const bool trains = kind == "JobSet" || kind == "Job" || kind == "CronJob";
  if (!trains || group.hosts != 1 || group.slices.size() < 2 || group.slices_of_job > 1) return {};
  return fmt::format(
      "the {} slices{} are not one job: each is of one host, and nothing is injected that joins "
      "them; annotation {}slice-count: \"{}\" on the Pods makes them one (MEGASCALE variables)",
      group.slices.size(), group.title.empty() ? "" : " of " + group.title, prefix,
      group.slices.size());
}

// Ray's slices are one job where MEGASCALE_NUM_SLICES says so, and a program waits for all of them.
std::string fewer_words(const Group& group, std::string_view kind) {
  if (!kind.starts_with("Ray") || group.slices.size() >= group.slices_of_job) return {};
  return fmt::format(
      "MEGASCALE_NUM_SLICES is {}, and {} makes {} now: a program that waits for all of them "
      "starts when an autoscaler or another group has made the others",
      group.slices_of_job, group.title, base::counted(group.slices.size(), "slice"));
}

// With chips that no node has, hosts are counted that no machine is.
void forget_sizes(Workload& workload) {
  const std::string id = id_of(webhook::findings::Finding::node_shared);
  if (std::ranges::find(workload.findings, id, &Finding::id) == workload.findings.end()) return;
  for (Group& group : workload.groups) {
    if (group.pool || group.hosts == 0) continue;
    // The first sentence is about the hosts of a slice.
    if (!group.placement.empty()) group.placement.erase(group.placement.begin());
    group.hosts = 0;
    for (Slice& slice : group.slices) slice.missing = 0;
  }
}

// Of a larger slice, whose node pools are others.
bool is_part(const Json& pod, const slices::SeenPod& seen) {
  return seen.placed_by_others && !selector(pod, webhook::read::key::topology).empty();
}

}  // namespace

void ObjectPods::add(const AnsweredPod& pod, outlook::WantedWorkload& wanted) {
  if (auto fault = told_jax_ ? std::nullopt : jax_fault(pod.after, pod.seen)) {
    told_jax_ = true;
    findings.add(*std::move(fault));
  }
  for (const std::string& each : named_claims(pod.after, beside_)) ++named_[each];
  if (!gatherer_.add(pod)) return;
  add_slice(wanted, pod.after, pod.seen, prefix_);
  if (gatherer_.groups() > groups_.size()) {
    for (Finding& each : no_node_faults(pod.before, pod.seen)) findings.add(std::move(each));
    if (auto fault = lone_host_fault(pod.seen)) findings.add(*std::move(fault));
    add_hindrances(hindrances_of_pod(pod.after, pod.seen));
    groups_.push_back(
        {.placement = placement_words(pod.after, pod.seen, prefix_, !wanted.queue.empty()),
         .sample = wanted.slices.back(),
         .dynamic = is_made_of_blocks(pod.after, pod.seen),
         .part = is_part(pod.after, pod.seen),
         .networks = beside_.claims_networks(pod.after, pod.seen.ns),
         .no_pool = why_no_pool(pod.before),
         .jobs_apart = {}});
    for (std::string& note : beside_.notes(pod.after)) notes_.push_back(std::move(note));
    if (auto fault = beside_.class_fault(pod.after)) findings.add(*std::move(fault));
    if (auto group = pod_group_words(pod.after, beside_)) {
      group_is_plain_ = group_is_plain_ || !group->topology;
      notes_.push_back(std::move(group->sentence));
    }
    EnvFrom from = variables_from(pod, beside_);
    for (Finding& each : from.findings) findings.add(std::move(each));
    for (std::string& note : from.notes) notes_.push_back(std::move(note));
  }
  if (std::string job = job_on_its_own_pool(pod.after, pod.seen); !job.empty())
    groups_.back().jobs_apart.insert(std::move(job));  // the slices of a group come together
  if (!services_of_input_) return;
  for (Finding& each : beside_.service_faults(pod.after, pod.seen)) findings.add(std::move(each));
}

void ObjectPods::add_claiming(Claimed claimed) {
  const auto found = std::ranges::find(claimed_, claimed.words, &Claimed::words);
  if (found == claimed_.end())
    claimed_.push_back(std::move(claimed));
  else
    ++found->pods;
}

// Groups of one object often say the same.
void ObjectPods::add_hindrances(Hindrances hindrances) {
  for (Finding& each : hindrances.faults) findings.add(std::move(each));
  for (std::string& each : hindrances.notes)
    if (told_.insert(each).second) notes_.push_back(std::move(each));
}

void ObjectPods::make_pool(const OfGroup& of, Group& group) {
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
  if (!made.no_machine.empty())
    findings.add(no_node(std::move(made.no_machine),
                         "remove the selector, or ask for a shape of such nodes"));
  if (!group.pool) return;
  for (Finding& fault : larger_than(*group.pool->machine, outlook::requests_of(of.sample.member)))
    findings.add(std::move(fault));
}

std::string ObjectPods::why_no_pool(const Json& pod) const {
  const auto found = not_decided.find(outlook::pod_set_name(pod));
  return found == not_decided.end() ? "" : found->second;
}

void ObjectPods::tell_shared(Workload& workload) const {
  const std::string id = id_of(webhook::findings::Finding::claim_named);
  if (std::ranges::find(workload.findings, id, &Finding::id) != workload.findings.end()) return;
  for (const auto& [name, pods] : named_)
    if (pods > 1)
      workload.findings.push_back(
          {.denied = false,
           .id = id,
           .sentence = fmt::format(
               "{} Pods name ResourceClaim {}: they share its chips, which are on one node and are "
               "counted here for each of them",
               pods, base::printable(name, 100)),
           .fix = fixes::Choice{"name a ResourceClaimTemplate, or run one Pod at a time"}});
}

void ObjectPods::finish(Workload& workload) {
  workload.groups = gatherer_.finish();
  for (std::size_t i = 0; i < workload.groups.size(); ++i) {
    Group& group = workload.groups[i];
    group.placement = std::move(groups_[i].placement);
    if (!groups_[i].part) make_pool(groups_[i], group);
    // A LeaderWorkerSet's groups are workloads of their own to Kueue.
    if (auto fault = workload.kind == "LeaderWorkerSet" || groups_[i].part || groups_[i].dynamic
                         ? std::nullopt
                         : topology_fault(groups_[i].sample.member, group))
      findings.add(*std::move(fault));
    if (std::string fewer = fewer_words(group, workload.kind); !fewer.empty())
      notes_.push_back(std::move(fewer));
    if (std::string apart = apart_words(group, workload.kind, prefix_); !apart.empty())
      notes_.push_back(std::move(apart));
  }
  workload.refusal = findings.refusal();
  workload.findings = findings.take();
  tell_shared(workload);
  forget_sizes(workload);
  // What the finding leaves open is known.
  if (group_is_plain_)
    std::erase_if(workload.findings, [](const Finding& each) {
      return each.id == id_of(webhook::findings::Finding::scheduling_group);
    });
  if (shape_of_class)
    std::erase_if(workload.findings, [](const Finding& finding) {
      return finding.pods == 0 && finding.id == id_of(webhook::findings::Finding::topology_missing);
    });
  say_once(workload.findings);
  workload.notes.insert(workload.notes.end(), notes_.begin(), notes_.end());
  workload.refused_pods = refused_;
  workload.other_pods = others_;
  workload.claimed = std::move(claimed_);
}

}  // namespace tpuwh::server::explain
