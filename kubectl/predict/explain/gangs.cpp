#include "kubectl/predict/explain/gangs.hpp"

#include "base/counted.hpp"
#include "kubectl/objects/gang.hpp"
#include "kubectl/predict/expand/reading.hpp"
#include "kubectl/predict/explain/pod_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

namespace tpuwh::server::explain {

namespace {

using expand::count_or;
using objects::pod_group_of;

// Pods of one template.
struct Made {
  std::string group;        // the PodGroup that it names
  std::uint64_t count = 0;  // all of them
  std::uint64_t first = 0;  // that exist before one is bound
  std::string why;          // the others do not
  std::string change;       // after which they do
};

// At a time, also of an Indexed Job.
std::uint64_t pods_of_job(const Json& spec) {
  return expand::controllers::job_pods({.completions = expand::number(spec, "completions"),
                                        .parallelism = expand::number(spec, "parallelism")});
}

std::vector<Made> of_job(const Json& spec) {
  const std::uint64_t count = pods_of_job(spec);
  return {{pod_group_of(text::member(spec, "template")), count, count, "", ""}};
}

std::vector<Made> of_replicas(const Json& spec, bool one_by_one) {
  const std::uint64_t count = count_or(spec, "replicas", 1);
  const std::string group = pod_group_of(text::member(spec, "template"));
  if (!one_by_one) return {{group, count, count, "", ""}};
  return {{group, count, std::min<std::uint64_t>(count, 1),
           "a StatefulSet creates each Pod when the one before it is ready",
           "set podManagementPolicy: Parallel"}};
}

// The followers of a Job wait for its first Pod, unless nodes are labelled for them beforehand.
Made of_replicated_job(const Json& jobset, const Json& job) {
  const std::uint64_t jobs = count_or(job, "replicas", 1);
  const Json& job_template = text::member(job, "template");
  const Json& spec = text::member(job_template, "spec");
  Made made{pod_group_of(text::member(spec, "template")), expand::multiply(jobs, pods_of_job(spec)),
            0, "", ""};
  made.first = made.count;
  const auto of_set = objects::followers_of(jobset);
  if (const auto own = of_set ? of_set : objects::followers_of(job_template)) {
    made.first = std::min(made.count, jobs);
    made.why = own->why;
    made.change = "remove annotation " + own->annotation;
  }
  return made;
}

// Each waits for those that it depends on to be ready or complete.
void make_later(Made& made) {
  made.first = 0;
  made.why = "JobSet creates a replicated job when those before it are ready or complete";
  made.change = "give each replicated job a PodGroup of its own";
}

std::vector<Made> of_jobset(const Json& object) {
  const Json& spec = at(object, {"spec"});
  const bool in_order =
      text::text_member(at(spec, {"startupPolicy"}), "startupPolicyOrder") == "InOrder";
  std::vector<Made> out;
  for (const Json& job : text::member(spec, "replicatedJobs")) {
    const bool waits = !text::member(job, "dependsOn").empty() || (in_order && !out.empty());
    out.push_back(of_replicated_job(object, job));
    if (waits) make_later(out.back());
  }
  return out;
}

std::vector<Made> of_lws(const Json& object) {
  const Json& spec = at(object, {"spec"});
  const Json& both = at(spec, {"leaderWorkerTemplate"});
  const std::uint64_t groups = count_or(spec, "replicas", 1);
  const std::uint64_t size = std::max<std::uint64_t>(count_or(both, "size", 1), 1);
  const Json& worker = text::member(both, "workerTemplate");
  const Json& leader = text::member(both, "leaderTemplate");
  const std::uint64_t count = expand::multiply(groups, size - 1);
  Made workers{pod_group_of(worker), count, count, "", ""};
  if (const auto own = objects::followers_of(object)) {
    workers.first = 0;
    workers.why = own->why;
    workers.change = "remove annotation " + own->annotation;
  } else if (text::text_member(spec, "startupPolicy") == "LeaderReady") {
    workers.first = 0;
    workers.why = "LeaderWorkerSet creates the workers of a group when its leader is ready";
    workers.change = "set startupPolicy: LeaderCreated";
  }
  return {{pod_group_of(leader.is_object() ? leader : worker), groups, groups, "", ""}, workers};
}

std::vector<Made> made_by(const Json& object) {
  const std::string kind = text::text_member(object, "kind");
  const Json& spec = at(object, {"spec"});
  if (kind == "Job") return of_job(spec);
  if (kind == "JobSet") return of_jobset(object);
  if (kind == "LeaderWorkerSet") return of_lws(object);
  if (kind == "StatefulSet")
    return of_replicas(spec, text::text_member(spec, "podManagementPolicy") != "Parallel");
  if (kind == "Deployment" || kind == "ReplicaSet") return of_replicas(spec, false);
  return {};
}

Finding never(const std::string& group, std::uint64_t wanted, const Made& made) {
  const std::string have =
      made.first == made.count
          ? fmt::format("the input has only {} that {} it", base::counted(made.count, "Pod"),
                        made.count == 1 ? "names" : "name")
          : fmt::format("only {} of them {} before one is bound: {}", made.first,
                        made.first == 1 ? "exists" : "exist", made.why);
  return {
      .denied = false,
      .id = ids::of_explain("gang"),
      .sentence = fmt::format("PodGroup {} is a gang of {} (minCount), but {}; unless other Pods "
                              "name it, none is ever bound",
                              group, base::counted(wanted, "Pod"), have),
      .fix = fixes::Choice{made.first == made.count
                               ? fmt::format("set minCount to at most {}", made.count)
                               : made.change}};
}

// What the objects of the input have in each group, of one namespace.
using Groups = std::map<std::string, Made>;

void count_in(const Json& object, Groups& groups) {
  for (const Made& each : made_by(object)) {
    if (each.group.empty()) continue;
    Made& sum = groups[each.group];
    sum.count = expand::add_up(sum.count, each.count);
    sum.first = expand::add_up(sum.first, each.first);
    if (!sum.why.empty()) continue;
    sum.why = each.why;
    sum.change = each.change;
  }
}

}  // namespace

std::vector<Finding> gang_faults(const Json& object, std::span<const source::Manifest> manifests,
                                 const std::string& ns, const Surroundings& beside) {
  Groups own, all;
  count_in(object, own);
  if (own.empty()) return {};
  const std::string where = namespace_of(object, ns);
  for (const source::Manifest& each : manifests)
    if (namespace_of(each.object, ns) == where) count_in(each.object, all);
  std::vector<Finding> out;
  for (const auto& [name, _] : own) {
    const Json* group = beside.find("PodGroup", where, name);
    if (group == nullptr) continue;
    const std::uint64_t wanted = objects::gang_size(*group);
    if (wanted > all[name].first) out.push_back(never(name, wanted, all[name]));
  }
  return out;
}

}  // namespace tpuwh::server::explain
