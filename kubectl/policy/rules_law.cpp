#include "kubectl/policy/rules_law.hpp"

#include "kubectl/policy/rules_cel.hpp"
#include "kubectl/reference/ids/policy_rows.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace tpuwh::server::policy {

namespace {

using webhook::workloads::ObjectKind;

// CEL for those fields of a template that only the checks TPU-658 to TPU-660 read. For these
// checks, the policies only warn.
struct Run {
  std::string seconds = "-1";  // the deadline; -1 for none
  std::string restarted = "true";
};

// Writes CEL that lists the Pod templates of the object `o`, a CEL variable. The list has a map
// with the keys title, pod and pods for each template. If `warned` is true, each map also has the
// fields of the struct Run.
class Templates {
 public:
  explicit Templates(bool warned) : warned_(warned) {}

  // Returns the CEL for the Pod templates of an object of `kind`, or "" if the kind has no policy.
  std::string of(std::string_view kind) const {
    if (kind == "Job") return job("o.spec");
    if (kind == "CronJob") return job("o.spec.jobTemplate.spec");
    if (kind == "JobSet") return jobset();
    if (kind == "RayCluster") return ray("o.spec", {});
    if (kind == "RayJob") {
      const Run run{.seconds = deadline_cel("o.spec")};
      // KubeRay creates a Job with submitterPodTemplate as its Pod template.
      return ray("o.spec.?rayClusterSpec", run) +
             " +\n[o.spec.?submitterPodTemplate].filter(pod, pod.hasValue()).map(pod, " +
             one("'submitter: '", "pod.value()", "1", run) + ")";
    }
    if (kind == "RayService") return ray("o.spec.?rayClusterConfig", {});
    if (kind == "LeaderWorkerSet") return groups();
    if (kind == "StatefulSet" || kind == "Deployment")
      return "[" + one("''", "o.spec.template", count_cel("o.spec.?replicas.orValue(1)"), {}) + "]";
    return {};
  }

 private:
  std::string one(std::string_view title, std::string_view pod, std::string_view pods,
                  const Run& run) const {
    const std::string more = warned_ ? fmt::format(",\n  'seconds': dyn({}), 'restarted': dyn({})",
                                                   run.seconds, run.restarted)
                                     : "";
    return fmt::format("{{\n  'title': dyn({}), 'pod': dyn({}),\n  'pods': dyn({}){}}}", title, pod,
                       pods, more);
  }

  std::string job(const std::string& spec) const {
    const std::string indexed = fmt::format("{}.?completionMode.orValue('') == 'Indexed'", spec);
    return "[" +
           one("''", spec + ".template", job_pods_cel(spec, indexed),
               {deadline_cel(spec), spec + ".?backoffLimit.orValue(6) != 0"}) +
           "]";
  }

  std::string jobset() const {
    const std::string spec = "job.template.spec";
    const std::string attempts = fmt::format(
        "([{}, 2147483647].min() + 1)", count_cel("o.spec.?failurePolicy.?maxRestarts.orValue(0)"));
    const std::string pods =
        fmt::format("{1} * [{0}, 1000000].min()",
                    job_pods_cel(spec, spec + ".?completionMode.orValue('Indexed') == 'Indexed'"),
                    count_cel("job.?replicas.orValue(1)"));
    return "o.spec.?replicatedJobs.orValue([]).map(job, " +
           one("'replicated job ' + job.name + ': '", spec + ".template", pods,
               {deadline_cel(spec) + " * " + attempts,
                attempts + " > 1 || " + spec + ".?backoffLimit.orValue(6) != 0"}) +
           ")";
  }

  // Returns CEL for the templates of a RayCluster. `cluster` is the CEL path of the RayCluster's
  // spec, such as "o.spec" or "o.spec.?rayClusterSpec".
  std::string ray(std::string_view cluster, const Run& run) const {
    const std::string pods = fmt::format("[{}, [{}, {}].max()].min() * [{}, 1000000].min()",
                                         count_cel("group.?maxReplicas.orValue(2147483647)"),
                                         count_cel("group.?minReplicas.orValue(0)"),
                                         count_cel("group.?replicas.orValue(0)"),
                                         count_cel("group.?numOfHosts.orValue(1)"));
    // KubeRay adds the autoscaler as a container to the head Pod.
    constexpr std::string_view autoscaler = R"({
    'metadata': dyn(c.?headGroupSpec.?template.?metadata.orValue({})), 'spec': dyn({
    'nodeSelector': dyn(c.?headGroupSpec.?template.?spec.?nodeSelector.orValue({})),
    'containers': dyn([{'name': dyn('autoscaler'),
      'image': dyn(c.?autoscalerOptions.?image.orValue('')),
      'resources': dyn(c.?autoscalerOptions.?resources.orValue({}))}])})})";
    return fmt::format(
        "[{0}.?headGroupSpec].filter(head, head.hasValue()).map(head, {1}) +\n"
        "{0}.?workerGroupSpecs.orValue([]).map(group, {2}) +\n"
        "[{0}].filter(c, c.?enableInTreeAutoscaling.orValue(false)).map(c, {3})",
        cluster, one("'head group: '", "head.value().template", "1", run),
        one("'worker group ' + group.groupName + ': '", "group.template", pods, run),
        one("'autoscaler: '", autoscaler, "1", run));
  }

  std::string groups() const {
    constexpr std::string_view group = "o.spec.leaderWorkerTemplate";
    const std::string replicas = count_cel("o.spec.?replicas.orValue(1)");
    const std::string size = count_cel("o.spec.leaderWorkerTemplate.?size.orValue(1)");
    return fmt::format(
        "{0}.?leaderTemplate.optMap(leader, [{1}]).orValue([]) +\n"
        "(has({0}.leaderTemplate) && {0}.?size.orValue(1) <= 1 ? [] : [{2}])",
        group, one("'leader template: '", "leader", replicas, {}),
        one("'worker template: '", fmt::format("{}.workerTemplate", group),
            fmt::format("{} * ({} - (has({}.leaderTemplate) ? 1 : 0))", replicas, size, group),
            {}));
  }

  const bool warned_;
};

// Returns whether the Pods of objects of this kind are expected to end. Returns true for a
// RayCluster, although its Pods may be servers. A RayCluster has no field for a deadline. So under
// a rule with maxRunSeconds, its Pods need the node selector
// cloud.google.com/gke-max-run-duration-seconds.
bool ends(std::string_view kind) {
  return kind == "Job" || kind == "CronJob" || kind == "JobSet" || kind == "RayCluster" ||
         kind == "RayJob";
}

// A controller that creates objects of the judged kind `made` from an object of another judged
// kind, whose plural name is `resource`. The policies recognize the controller by its permission to
// update the status of `resource`. Users do not have this permission, because the roles of teams do
// not allow the subresource `status`.
struct Maker {
  std::string_view made;
  std::string_view group, kind;             // API group and kind of the controlling owner
  std::string_view status_group, resource;  // API group and name of the resource with the status
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
    // In a LeaderWorkerSet, the StatefulSet of a group's workers is owned by the Pod of the group's
    // leader.
    {"StatefulSet", "", "Pod", "leaderworkerset.x-k8s.io", "leaderworkersets"},
};

// Returns CEL that is true if a controller creates an object of `kind` for an owner, such as a Job
// for a JobSet, and the policies check the owner, too. The CEL reads the ownerReferences of the
// object. Every user can write these, so the CEL also requires that the user who sends the request
// may update the status of Maker::resource. Only the controller has this permission. If the request
// is not a creation, the CEL is false.
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

// Returns CEL for a list of booleans, one for each object: whether the object has the label that
// names a queue of Kueue. For a CronJob, the label in its Job template is read, because Kueue
// ignores the label of the CronJob itself. If the label is missing or empty, the Job starts without
// waiting for Kueue.
std::string names_queue(std::string_view kind) {
  return fmt::format(
      "variables.objects.map(o, "
      "o{}.?metadata.?labels[?'kueue.x-k8s.io/queue-name'].orValue('') != '')",
      kind == "CronJob" ? ".spec.jobTemplate" : "");
}

// Returns a match condition that is false for objects whose Pods ask for no chips. For such
// objects, the API server evaluates no variable of the policy.
std::string chips_are_asked_for(std::string_view templates) {
  const std::string asks = with_chips("exists(c, @in_limits@)");
  return fmt::format(
      "[object].map(o,\n{0})[0].exists(t,\n  t.pod.spec.containers.{1} ||\n"
      "  t.pod.spec.?initContainers.orValue([]).{1})",
      templates, asks);
}

Policy policy_of(const ObjectKind& kind, const JudgedRules& rules, Action action) {
  const std::string templates = Templates(rules.warned).of(kind.kind);
  Policy out{.name = fmt::format("tpu-rules-{}{}", kind.resource, rules.warned ? "-warn" : ""),
             .group = std::string(kind.group),
             .resource = std::string(kind.resource),
             .versions = {},
             .conditions = {{"asks-for-tpus", chips_are_asked_for(Templates(false).of(kind.kind))},
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

bool is_refused(std::string_view kind, std::string_view id) {
  const auto* row = std::ranges::find(ids::rows::of_policy, id, &ids::Row::id);
  return row != std::end(ids::rows::of_policy) && row->level == "fail" &&
         !Templates(false).of(kind).empty();
}

std::vector<Policy> rules_law(const team_rules::Rules& rules, const std::string& prefix,
                              Action most) {
  std::vector<Policy> out;
  for (const auto& workload : webhook::workloads::workloads())
    for (const ObjectKind& kind : workload.objects) {
      if (Templates(false).of(kind.kind).empty()) continue;
      JudgedRules judged{.all = rules, .prefix = prefix, .ends = ends(kind.kind)};
      out.push_back(policy_of(kind, judged, most));
      judged.warned = true;
      if (are_any_warned(rules, judged.ends))
        out.push_back(policy_of(kind, judged, std::min(most, Action::warn)));
    }
  return out;
}

}  // namespace tpuwh::server::policy
