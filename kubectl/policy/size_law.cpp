#include "kubectl/policy/size_law.hpp"

#include "kubectl/policy/rules_law.hpp"
#include "kubectl/policy/size_law_cel.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace tpuwh::server::policy {

namespace {

using webhook::config::Config;
using webhook::findings::Finding;
using webhook::findings::Level;
using webhook::workloads::ObjectKind;

constexpr std::string_view too_few_completions =
    "size.hosts > 1 && size.template.indexed && has(size.template.of.completions) &&\n"
    "    size.template.of.completions < size.hosts";
// A parallelism of 0 is how a Job is held.
constexpr std::string_view too_few_in_parallel =
    "size.hosts > 1 && size.template.indexed && has(size.template.of.completions) &&\n"
    "    size.template.of.?parallelism.orValue(1) > 0 &&\n"
    "    size.template.of.?parallelism.orValue(1) < size.hosts";
constexpr std::string_view too_many_completions =
    "size.hosts > 1 && size.template.indexed && has(size.template.of.completions) &&\n"
    "    size.template.of.completions > size.hosts";
// The condition that a Job has too many completions, unless Kueue may start the Job with fewer
// Pods.
constexpr std::string_view too_many_of_job =
    "size.hosts > 1 && size.template.indexed && has(size.template.of.completions) &&\n"
    "    size.template.of.completions > size.hosts && !size.template.lowered";
constexpr std::string_view never_completes =
    R"('completions is ' + string(size.template.of.completions) + ', but ' + size.has +
    '; Pods from index ' + string(size.hosts) + ' on are refused, so the Job never completes')";

constexpr std::string_view of_job = R"(variables.objects.map(o, [{
  'title': dyn(''),
  'labels': dyn(o.metadata.?labels.orValue({})),
  'pod': dyn(o.spec.template),
  'of': dyn(o.spec),
  'indexed': dyn(o.spec.?completionMode.orValue('') == 'Indexed'),
  'lowered': dyn(o.metadata.?labels[?'kueue.x-k8s.io/queue-name'].orValue('') != '' &&
    [o.metadata.?annotations[?'kueue.x-k8s.io/job-min-parallelism'].orValue('')].exists(least,
      least.matches('^[1-9][0-9]{0,9}$') && int(least) < o.spec.?parallelism.orValue(1)))
}]))";
constexpr Fault job_faults[] = {
    {.finding = Finding::job_too_few,
     .holds = too_few_completions,
     .count = "completions",
     .end = "; a program that uses the whole slice waits forever"},
    {.finding = Finding::job_too_few,
     .holds = too_few_in_parallel,
     .count = "parallelism",
     .end = ", which must run at the same time; a program that uses the whole slice waits forever"},
    {Finding::completions_too_many, too_many_of_job, never_completes},
};

constexpr std::string_view of_jobset =
    R"(variables.objects.map(o, o.spec.?replicatedJobs.orValue([]).size() > 32 ? [] :
o.spec.?replicatedJobs.orValue([]).map(job, {
  'title': dyn('replicated job ' + job.name + ': '),
  'labels': dyn(o.metadata.?labels.orValue({})),
  'pod': dyn(job.template.spec.template),
  'of': dyn(job.template.spec),
  'indexed': dyn(job.template.spec.?completionMode.orValue('Indexed') == 'Indexed')
})))";
constexpr Fault jobset_faults[] = {
    {.finding = Finding::jobset_too_few, .holds = too_few_completions, .count = "completions"},
    {.finding = Finding::jobset_too_few,
     .holds = too_few_in_parallel,
     .count = "parallelism",
     .end = ", which must run at the same time"},
    {Finding::completions_too_many, too_many_completions, never_completes},
};

// "" for a RayCluster, "rayClusterSpec" in a RayJob.
constexpr std::string_view of_ray =
    R"(variables.objects.map(o, o.spec@cluster@.?workerGroupSpecs.orValue([]).size() > 32 ? [] :
o.spec@cluster@.?workerGroupSpecs.orValue([]).map(group, {
  'title': dyn('worker group ' + group.groupName + ': '),
  'labels': dyn(o.metadata.?labels.orValue({})),
  'pod': dyn(group.template),
  'of': dyn(group)
})))";
constexpr Fault ray_faults[] = {
    {.finding = Finding::ray_hosts,
     .holds = "size.hosts > 1 && size.template.of.?numOfHosts.orValue(1) != size.hosts",
     .count = "numOfHosts"},
};

// The workers' template is the leader's, too, where that has none; of a group of one with a leader
// there are no workers.
constexpr std::string_view of_group =
    R"(variables.objects.map(o, has(o.spec.leaderWorkerTemplate.leaderTemplate) &&
  o.spec.leaderWorkerTemplate.?size.orValue(1) == 1 ? [] : [{
  'title': dyn('worker template: '),
  'labels': dyn(o.metadata.?labels.orValue({})),
  'pod': dyn(o.spec.leaderWorkerTemplate.workerTemplate),
  'of': dyn(o.spec.leaderWorkerTemplate)
}]))";
constexpr Fault group_faults[] = {
    {Finding::lws_size,
     "size.hosts > 1 && size.template.of.?size.orValue(1) != size.hosts &&\n"
     "    !has(size.template.of.leaderTemplate) && !has(size.template.of.subGroupPolicy)",
     R"('a group of ' + string(size.template.of.?size.orValue(1)) + ' has ' +
    string(size.template.of.?size.orValue(1)) + ' members, but ' + size.has)"},
};

// LeaderWorkerSet makes StatefulSets of its groups, whose Pods go by its own labels.
constexpr std::string_view of_statefulset =
    R"(variables.objects.map(o, o.spec.template.?metadata.?labels[?'leaderworkerset.sigs.k8s.io/name'].orValue('') != '' ? [] : [{
  'title': dyn(''),
  'labels': dyn(o.metadata.?labels.orValue({})),
  'pod': dyn(o.spec.template),
  'of': dyn(o.spec)
}]))";
constexpr Fault statefulset_faults[] = {
    {.finding = Finding::statefulset_size,
     .holds = "size.hosts > 1 && size.template.of.?replicas.orValue(1) % size.hosts != 0",
     .count = "replicas",
     .end = ": expected a multiple of it, or the last slice waits forever"},
};

struct Law {
  std::string_view kind, templates;
  std::string_view pods;          // CEL: a list of the object's PodTemplateSpecs
  std::span<const Fault> faults;  // behind those of shapes
  std::string_view inside = {};   // for "@cluster@"
};

constexpr std::string_view one_template = "[object.spec.template]";
constexpr std::string_view of_groups =
    "object.spec@cluster@.?workerGroupSpecs.orValue([]).map(group, group.template)";

constexpr Law laws[] = {
    {"Job", of_job, one_template, job_faults},
    {"JobSet", of_jobset,
     "object.spec.?replicatedJobs.orValue([]).map(job, job.template.spec.template)", jobset_faults},
    {"RayCluster", of_ray, of_groups, ray_faults},
    {"RayJob", of_ray, of_groups, ray_faults, ".?rayClusterSpec"},
    {"RayService", of_ray, of_groups, ray_faults, ".?rayClusterConfig"},
    {"LeaderWorkerSet", of_group, "[object.spec.leaderWorkerTemplate.workerTemplate]",
     group_faults},
    {"StatefulSet", of_statefulset, one_template, statefulset_faults},
};

// It spares the steps for objects whose Pods ask for none.
std::string asks_for_tpus(const Law& law) {
  return with(law.pods, "@cluster@", law.inside) +
         with_chips(".exists(pod,\n  pod.spec.containers.exists(c, @in_limits@))");
}

// Where there is a fault of this level.
std::vector<Fault> faults_of(const Law& law, const Config& config, Level level) {
  std::vector<Fault> out;
  const auto take = [&](const Fault& each) {
    if (config.level_of(each.finding, {}) == level) out.push_back(each);
  };
  std::ranges::for_each(faults_of_shapes(), take);
  std::ranges::for_each(law.faults, take);
  return out;
}

Policy policy_of(const Law& law, const ObjectKind& kind, const std::vector<Fault>& faults,
                 const Config& config, Level level) {
  const bool denies = level == Level::deny;
  const std::string_view verdict = denies ? "could never start" : "are probably not meant so";
  Policy out{.name = fmt::format("tpu-size-{}{}", kind.resource, denies ? "" : "-warn"),
             .group = std::string(kind.group),
             .resource = std::string(kind.resource),
             .versions = {},
             .conditions = {{"asks-for-tpus", asks_for_tpus(law)},
                            {"made-by-nobody-checked", made_by_nobody_judged(law.kind)}},
             .variables = {{"objects", "oldObject == null ? [object] : [object, oldObject]"},
                           {"templates", with(law.templates, "@cluster@", law.inside)}},
             .expression = "variables.found.size() == 0",
             .message = fmt::format("slices of this {} {}", law.kind, verdict),
             .message_expression = fmt::format(
                 "'slices of {} ' + object.metadata.name + ' {}: ' + variables.found.join('; ')",
                 law.kind, verdict),
             .action = denies ? Action::deny : Action::warn};
  for (const std::string_view version : kind.versions)
    if (!version.empty()) out.versions.emplace_back(version);
  for (Step& step : steps(config.prefix))
    out.variables.push_back({std::move(step.name), std::move(step.expression)});
  out.variables.push_back({"faults", faults_cel(faults)});
  // What was wrong already must not keep the rest of an object from being changed.
  out.variables.push_back({"found",
                           "variables.faults[0].filter(fault,\n"
                           "  variables.faults.size() == 1 || !(fault in variables.faults[1]))"});
  return out;
}

}  // namespace

std::vector<Policy> size_law(const Config& config, Action most) {
  std::vector<Policy> out;
  for (const auto& workload : webhook::workloads::workloads()) {
    if (!config.workloads.has(workload.kind)) continue;
    const bool shadow = config.mode_for(workload.kind) == webhook::config::Mode::shadow;
    for (const ObjectKind& kind : workload.objects) {
      const Law* law = std::ranges::find(laws, kind.kind, &Law::kind);
      if (law == std::end(laws)) continue;
      for (const Level level : {Level::deny, Level::warn}) {
        const std::vector<Fault> faults = faults_of(*law, config, level);
        if (faults.empty()) continue;
        Policy policy = policy_of(*law, kind, faults, config, level);
        policy.action = std::min({policy.action, most, shadow ? Action::warn : Action::deny});
        out.push_back(std::move(policy));
      }
    }
  }
  return out;
}

}  // namespace tpuwh::server::policy
