#include "kubectl/policy/rules_law.hpp"

#include "kubectl/policy/rules_cel.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace tpuwh::server::policy {

namespace {

using webhook::config::Config;
using webhook::workloads::ObjectKind;

// CEL: a list of maps of title, pod and pods, of an object `o`.
std::string single_template(std::string_view pod, std::string_view pods) {
  return fmt::format("[{{'title': dyn(''), 'pod': dyn({}), 'pods': dyn({})}}]", pod, pods);
}

std::string job_templates(std::string_view spec) {
  const std::string indexed = fmt::format("{}.?completionMode.orValue('') == 'Indexed'", spec);
  return single_template(fmt::format("{}.template", spec), job_pods_cel(spec, indexed));
}

std::string jobset_templates() {
  constexpr std::string_view spec = "job.template.spec";
  return fmt::format(
      "o.spec.?replicatedJobs.orValue([]).map(job, {{\n"
      "  'title': dyn('replicated job ' + job.name + ': '), 'pod': dyn({0}.template),\n"
      "  'pods': dyn({2} * [{1}, 1000000].min())}})",
      spec,
      job_pods_cel(spec, fmt::format("{}.?completionMode.orValue('Indexed') == 'Indexed'", spec)),
      count_cel("job.?replicas.orValue(1)"));
}

// `cluster` is where the RayCluster's spec is: "o.spec", "o.spec.?rayClusterSpec".
std::string ray_templates(std::string_view cluster) {
  return fmt::format(
      "[{0}.?headGroupSpec].filter(head, head.hasValue()).map(head, {{\n"
      "  'title': dyn('head group: '), 'pod': dyn(head.value().template), 'pods': dyn(1)}}) +\n"
      "{0}.?workerGroupSpecs.orValue([]).map(group, {{\n"
      "  'title': dyn('worker group ' + group.groupName + ': '), 'pod': dyn(group.template),\n"
      "  'pods': dyn([{1}, [{2}, {3}].max()].min() * [{4}, 1000000].min())}}) +\n"
      // KubeRay puts it into the head's Pod.
      "[{0}].filter(c, c.?enableInTreeAutoscaling.orValue(false)).map(c, {{\n"
      "  'title': dyn('autoscaler: '), 'pods': dyn(1), 'pod': dyn({{\n"
      "    'metadata': dyn(c.?headGroupSpec.?template.?metadata.orValue({{}})), 'spec': dyn({{\n"
      "    'nodeSelector': dyn(c.?headGroupSpec.?template.?spec.?nodeSelector.orValue({{}})),\n"
      "    'containers': dyn([{{'name': dyn('autoscaler'),\n"
      "      'image': dyn(c.?autoscalerOptions.?image.orValue('')),\n"
      "      'resources': dyn(c.?autoscalerOptions.?resources.orValue({{}}))}}])}})}})}})",
      cluster, count_cel("group.?maxReplicas.orValue(2147483647)"),
      count_cel("group.?minReplicas.orValue(0)"), count_cel("group.?replicas.orValue(0)"),
      count_cel("group.?numOfHosts.orValue(1)"));
}

// KubeRay makes a Job of it.
constexpr const char* submitter_template =
    " +\n[o.spec.?submitterPodTemplate].filter(pod, pod.hasValue()).map(pod, {\n"
    "  'title': dyn('submitter: '), 'pod': dyn(pod.value()), 'pods': dyn(1)})";

constexpr std::string_view group_templates =
    R"(o.spec.leaderWorkerTemplate.?leaderTemplate.optMap(leader, [{
  'title': dyn('leader template: '), 'pod': dyn(leader), 'pods': dyn(@groups@)
}]).orValue([]) +
(has(o.spec.leaderWorkerTemplate.leaderTemplate) && o.spec.leaderWorkerTemplate.?size.orValue(1) <= 1 ? [] : [{
  'title': dyn('worker template: '), 'pod': dyn(o.spec.leaderWorkerTemplate.workerTemplate),
  'pods': dyn(@groups@ * (@size@ - (has(o.spec.leaderWorkerTemplate.leaderTemplate) ? 1 : 0)))
}]))";

// "" for a kind that no policy looks at.
std::string templates_of(std::string_view kind) {
  if (kind == "Job") return job_templates("o.spec");
  if (kind == "CronJob") return job_templates("o.spec.jobTemplate.spec");
  if (kind == "JobSet") return jobset_templates();
  if (kind == "RayCluster") return ray_templates("o.spec");
  if (kind == "RayJob") return ray_templates("o.spec.?rayClusterSpec") + submitter_template;
  if (kind == "RayService") return ray_templates("o.spec.?rayClusterConfig");
  if (kind == "LeaderWorkerSet")
    return with(with(group_templates, "@groups@", count_cel("o.spec.?replicas.orValue(1)")),
                "@size@", count_cel("o.spec.leaderWorkerTemplate.?size.orValue(1)"));
  if (kind == "StatefulSet" || kind == "Deployment")
    return single_template("o.spec.template", count_cel("o.spec.?replicas.orValue(1)"));
  return {};
}

// Who makes objects of a kind that have a policy of their own, of objects that have one, and what
// status nobody else may write: a team's roles give whole objects.
struct Maker {
  std::string_view made;
  std::string_view group, kind;             // of the controller in ownerReferences
  std::string_view status_group, resource;  // of the status
};
constexpr Maker makers[] = {
    {"Job", "batch", "CronJob", "batch", "cronjobs"},
    {"Job", "jobset.x-k8s.io", "JobSet", "jobset.x-k8s.io", "jobsets"},
    {"Job", "ray.io", "RayJob", "ray.io", "rayjobs"},
    {"Job", "ray.io", "RayCluster", "ray.io", "rayclusters"},
    {"RayCluster", "ray.io", "RayJob", "ray.io", "rayjobs"},
    {"RayCluster", "ray.io", "RayService", "ray.io", "rayservices"},
    {"StatefulSet", "leaderworkerset.x-k8s.io", "LeaderWorkerSet", "leaderworkerset.x-k8s.io",
     "leaderworkersets"},
    // Of the workers of one leader, whose Pod owns it.
    {"StatefulSet", "", "Pod", "leaderworkerset.x-k8s.io", "leaderworkersets"},
};

// What an object is made from was judged; what anybody makes of it afterwards is judged again. An
// owner is easily written, so who says it must be one who makes such objects.
std::string made_by_its_maker(std::string_view kind) {
  std::string out;
  for (const Maker& each : makers) {
    if (each.made != kind) continue;
    const std::string version = each.group.empty()
                                    ? "owner.apiVersion == 'v1'"
                                    : fmt::format("owner.apiVersion.startsWith('{}/')", each.group);
    out += fmt::format(
        "{}({} && owner.kind == '{}' &&\n"
        "    "
        "authorizer.group('{}').resource('{}').subresource('status').namespace(request.namespace)"
        ".check('update').allowed())",
        out.empty() ? "" : " ||\n    ", version, each.kind, each.status_group, each.resource);
  }
  if (out.empty()) return "false";
  return fmt::format(
      "request.operation == 'CREATE' &&\n"
      "  object.metadata.?ownerReferences.orValue([]).exists(owner, "
      "owner.?controller.orValue(false) "
      "&& (\n    {}))",
      out);
}

// A CronJob's own label is not that of its Jobs, which Kueue looks at; it starts what has none, or
// an empty one, at once.
std::string names_queue(std::string_view kind) {
  return fmt::format(
      "variables.objects.map(o, "
      "o{}.?metadata.?labels[?'kueue.x-k8s.io/queue-name'].orValue('') != '')",
      kind == "CronJob" ? ".spec.jobTemplate" : "");
}

// It spares the steps for objects whose Pods ask for none.
std::string chips_are_asked_for(std::string_view templates) {
  const std::string asks = with_chips("exists(c, @in_limits@)");
  return fmt::format(
      "[object].map(o,\n{0})[0].exists(t,\n  t.pod.spec.containers.{1} ||\n"
      "  t.pod.spec.?initContainers.orValue([]).{1})",
      templates, asks);
}

Policy policy_of(const ObjectKind& kind, std::string_view templates,
                 const webhook::rules::Rules& rules, Action action) {
  Policy out{.name = fmt::format("tpu-rules-{}", kind.resource),
             .group = std::string(kind.group),
             .resource = std::string(kind.resource),
             .versions = {},
             .conditions = {{"asks-for-tpus", chips_are_asked_for(templates)},
                            {"made-by-nobody-judged", made_by_nobody_judged(kind.kind)}},
             .variables = {{"objects", "oldObject == null ? [object] : [object, oldObject]"},
                           {"queue", names_queue(kind.kind)},
                           {"templates", fmt::format("variables.objects.map(o,\n{})", templates)}},
             .expression = "variables.found.size() == 0",
             .message = fmt::format("this {} breaks a rule of the cluster on TPUs", kind.kind),
             .message_expression =
                 fmt::format("'{} ' + object.metadata.name + ': ' + variables.found.map(fault, "
                             "fault.text).join('; ')",
                             kind.kind),
             .action = action,
             .must_hold = true,
             .audit = {{"rule", "variables.asked[0].size() == 0 ? '' : " + judgement_cel()}}};
  for (const std::string_view version : kind.versions)
    if (!version.empty()) out.versions.emplace_back(version);
  for (Step& step : rule_steps(rules))
    out.variables.push_back({std::move(step.name), std::move(step.expression)});
  return out;
}

}  // namespace

std::string made_by_nobody_judged(std::string_view kind) {
  return fmt::format("!({})", made_by_its_maker(kind));
}

bool is_held(std::string_view kind, webhook::findings::Finding finding) {
  using enum webhook::findings::Finding;
  return finding >= rule_namespace && finding < rule_name && !templates_of(kind).empty();
}

std::vector<Policy> rules_law(const Config& config, Action most) {
  std::vector<Policy> out;
  if (config.rules == nullptr) return out;
  for (const auto& workload : webhook::workloads::workloads())
    for (const ObjectKind& kind : workload.objects)
      if (const std::string templates = templates_of(kind.kind); !templates.empty())
        out.push_back(policy_of(kind, templates, *config.rules, std::min(most, Action::deny)));
  return out;
}

}  // namespace tpuwh::server::policy
