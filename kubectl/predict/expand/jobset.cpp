#include "kubectl/predict/expand/jobset.hpp"

#include "base/result.hpp"
#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/predict/expand/child.hpp"
#include "kubectl/predict/expand/job.hpp"
#include "kubectl/predict/expand/placeholder.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::expand {

namespace {

const char* const exclusive_key = objects::key_of(webhook::read::Annotation::jobset_exclusive);
constexpr const char* node_selector_key = objects::key::jobset_node_selector;
constexpr const char* job_key = objects::key::jobset_job_key;
constexpr const char* priority_key = "jobset.sigs.k8s.io/priority";

// A JobSet as its controller reads it: checked, with its defaults.
struct JobSet {
  const Json& object;
  const Json& spec;
  const Json& replicated_jobs;
  Owner self;
  std::string subdomain;
};

// Where a replicated job stands among the others.
struct Position {
  std::uint64_t replicas = 0, jobs_before = 0, group_jobs_before = 0;
  std::uint64_t all_jobs = 0, group_jobs = 0;
};

std::uint64_t replicas_of(const Json& replicated_job) {
  return controllers::one_or(number(replicated_job, "replicas"));
}

std::string group_of(const Json& replicated_job) {
  const std::string group = text::text_member(replicated_job, "groupName");
  return group.empty() ? "default" : group;
}

const Json& job_template_of(const Json& replicated_job) {
  return object_or_empty(replicated_job, "template");
}

// The Job's spec with what JobSet's webhook defaults: Indexed.
Json job_spec_of(const Json& replicated_job) {
  Json spec = object_or_empty(job_template_of(replicated_job), "spec");
  if (!spec.contains("completionMode")) spec["completionMode"] = "Indexed";
  return spec;
}

std::vector<Position> positions_of(const Json& replicated_jobs) {
  std::vector<Position> out;
  std::uint64_t jobs = 0;
  std::map<std::string, std::uint64_t> of_group;
  for (const Json& job : replicated_jobs) {
    const std::uint64_t replicas = replicas_of(job);
    std::uint64_t& group_jobs = of_group[group_of(job)];
    out.push_back({.replicas = replicas, .jobs_before = jobs, .group_jobs_before = group_jobs});
    jobs += replicas;
    group_jobs += replicas;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].all_jobs = jobs;
    out[i].group_jobs = of_group[group_of(replicated_jobs[i])];
  }
  return out;
}

void mark(Json& pod_template, const char* name, const std::string& value) {
  const std::string key = fmt::format("jobset.sigs.k8s.io/{}", name);
  set_label(pod_template, key.c_str(), value);
  set_annotation(pod_template, key.c_str(), value);
}

std::string coordinator_of(const JobSet& jobset) {
  const Json& coordinator = object_or_empty(jobset.spec, "coordinator");
  return fmt::format(
      "{}-{}-{}-{}.{}", jobset.self.name, text::text_member(coordinator, "replicatedJob"),
      count_or(coordinator, "jobIndex", 0), count_or(coordinator, "podIndex", 0), jobset.subdomain);
}

// What is the same for all Jobs of a replicated job: on each Job, and on its Pods.
void mark_replicated_job(Json& pod, const JobSet& jobset, const Json& replicated_job,
                         const Position& position) {
  mark(pod, "jobset-name", jobset.self.name);
  mark(pod, "jobset-uid", jobset.self.uid());
  mark(pod, "replicatedjob-name", text::text_member(replicated_job, "name"));
  mark(pod, "restart-attempt", "0");
  mark(pod, "replicatedjob-replicas", std::to_string(position.replicas));
  mark(pod, "global-replicas", std::to_string(position.all_jobs));
  mark(pod, "group-name", group_of(replicated_job));
  mark(pod, "group-replicas", std::to_string(position.group_jobs));
  if (jobset.spec.contains("coordinator")) mark(pod, "coordinator", coordinator_of(jobset));
  for (const Json* from : {&jobset.object, &job_template_of(replicated_job)}) {
    if (!has_annotation(*from, exclusive_key)) continue;
    for (const char* key : {exclusive_key, node_selector_key})
      if (has_annotation(*from, key)) set_annotation(pod, key, annotation(*from, key));
  }
}

void mark_job(Json& pod, const Owner& job, const Position& position, std::uint64_t index) {
  mark(pod, "job-index", std::to_string(index));
  mark(pod, "job-key", sha1_hex(fmt::format("{}/{}", job.ns, job.name)));
  mark(pod, "job-global-index", std::to_string(position.jobs_before + index));
  mark(pod, "job-group-index", std::to_string(position.group_jobs_before + index));
}

// Nodes that somebody has labelled for one Job each, and tainted against all others.
bool selects_labelled_nodes(const JobSet& jobset, const Json& replicated_job) {
  const Json& own = job_template_of(replicated_job);
  const bool exclusive =
      has_annotation(jobset.object, exclusive_key) || has_annotation(own, exclusive_key);
  const bool labelled =
      has_annotation(own, node_selector_key) || (has_annotation(jobset.object, exclusive_key) &&
                                                 has_annotation(jobset.object, node_selector_key));
  return exclusive && labelled;
}

void select_labelled_nodes(Json& pod, const Owner& job) {
  pod["spec"]["nodeSelector"][webhook::read::key::jobset_namespaced_job.data()] =
      fmt::format("{}_{}", job.ns, job.name);
}

void tolerate_labelled_nodes(Json& pod) {
  pod["spec"]["tolerations"].push_back({{"key", "alpha.jobset.sigs.k8s.io/no-schedule"},
                                        {"operator", "Exists"},
                                        {"effect", "NoSchedule"}});
}

bool mounts(const Json& pod, const std::string& volume) {
  for (const char* key : {"containers", "initContainers"})
    for (const Json& container : array_or_empty(pod["spec"], key))
      for (const Json& mount : array_or_empty(container, "volumeMounts"))
        if (text::text_member(mount, "name") == volume) return true;
  return false;
}

void add_volumes(Json& pod, const JobSet& jobset) {
  for (const Json& policy : array_or_empty(jobset.spec, "volumeClaimPolicies")) {
    for (const Json& claim : array_or_empty(policy, "templates")) {
      const std::string name = text::text_member(object_or_empty(claim, "metadata"), "name");
      if (!mounts(pod, name)) continue;
      Json volume = {{"name", name}};
      volume["persistentVolumeClaim"]["claimName"] = fmt::format("{}-{}", name, jobset.self.name);
      pod["spec"]["volumes"].push_back(std::move(volume));
    }
  }
}

// spec.priority, which the API server has resolved when JobSet's webhook copies it into a label.
// source: kubernetes/kubernetes pkg/apis/scheduling/types.go, v1.36.3
std::string priority_of(const Json& spec) {
  if (spec.contains("priority")) return std::to_string(spec["priority"].get<std::int64_t>());
  const std::string name = text::text_member(spec, "priorityClassName");
  if (name == "system-cluster-critical") return "2000000000";
  if (name == "system-node-critical") return "2000001000";
  return "0";
}

// A leader draws its Job to one domain of the topology and keeps all others out.
void set_exclusive_affinity(Json& leader) {
  const std::string topology = annotation(leader, exclusive_key);
  const Json own = Json::array({label(leader, job_key)});
  const Json priority = Json::array({label(leader, priority_key)});
  const auto term = [&](Json expressions) {
    Json out = Json::object();
    out["labelSelector"]["matchExpressions"] = std::move(expressions);
    out["topologyKey"] = topology;
    out["namespaceSelector"] = Json::object();
    return out;
  };
  append_required(leader, "podAffinity", term(Json::array({expression(job_key, "In", own)})));
  append_required(
      leader, "podAntiAffinity",
      term(Json::array({expression(job_key, "Exists"), expression(job_key, "NotIn", own),
                        expression(priority_key, "In", priority)})));
}

Visit with_affinity_of_leaders(const Visit& visit) {
  return [&visit](const Json& pod) {
    if (annotation(pod, webhook::read::Annotation::job_completion_index) != "0") return visit(pod);
    Json leader = pod;
    set_exclusive_affinity(leader);
    return visit(leader);
  };
}

bool has_host_names(const JobSet& jobset) {
  return flag_or(object_or_empty(jobset.spec, "network"), "enableDNSHostnames", true);
}

// The template of all Jobs of a replicated job.
void prepare(Json& pod_template, const JobSet& jobset, const Json& replicated_job,
             const Position& position) {
  if (!pod_template["spec"].contains("restartPolicy"))
    pod_template["spec"]["restartPolicy"] = "OnFailure";
  mark_replicated_job(pod_template, jobset, replicated_job, position);
  if (has_host_names(jobset)) pod_template["spec"]["subdomain"] = jobset.subdomain;
  if (selects_labelled_nodes(jobset, replicated_job)) tolerate_labelled_nodes(pod_template);
  add_volumes(pod_template, jobset);
}

Owner job_of(const JobSet& jobset, const Json& replicated_job, std::uint64_t index) {
  return job_called(jobset.self.ns, fmt::format("{}-{}-{}", jobset.self.name,
                                                text::text_member(replicated_job, "name"), index));
}

bool visit_replicated_job(const JobSet& jobset, const Json& replicated_job,
                          const Position& position, const ExpandOptions& options,
                          const Visit& visit) {
  Json spec = job_spec_of(replicated_job);
  Json& pod = spec["template"];
  prepare(pod, jobset, replicated_job, position);
  if (!has_annotation(pod, node_selector_key))  // JobSet's webhook, of each Pod
    set_label(pod, priority_key, priority_of(pod["spec"]));
  const bool exclusive =
      has_annotation(pod, exclusive_key) && !has_annotation(pod, node_selector_key);
  const Visit visit_pod = exclusive ? with_affinity_of_leaders(visit) : visit;
  for (std::uint64_t i = 0; i < shown(position.replicas, options); ++i) {
    const Owner job = job_of(jobset, replicated_job, i);
    mark_job(pod, job, position, i);
    if (selects_labelled_nodes(jobset, replicated_job)) select_labelled_nodes(pod, job);
    if (!visit_job(job, spec, options, visit_pod)) return false;
  }
  return true;
}

// ---- what it makes on the way to Pods

Json first_job(const JobSet& jobset, const Json& replicated_job, const Position& position) {
  const Owner self = job_of(jobset, replicated_job, 0);
  Json job =
      begin_child(self, jobset.self, object_or_empty(job_template_of(replicated_job), "metadata"));
  job["spec"] = job_spec_of(replicated_job);
  job["spec"]["suspend"] = flag_or(jobset.spec, "suspend", false);
  Json& pod = job["spec"]["template"];
  prepare(pod, jobset, replicated_job, position);
  mark_replicated_job(job, jobset, replicated_job, position);
  for (Json* each : {&job, &pod}) mark_job(*each, self, position, 0);
  if (selects_labelled_nodes(jobset, replicated_job)) select_labelled_nodes(pod, self);
  return job;
}

Json service_of(const JobSet& jobset) {
  Json out = headless_service(service_called(jobset.self.ns, jobset.subdomain), jobset.self,
                              {{"jobset.sigs.k8s.io/jobset-name", jobset.self.name}});
  out["spec"]["publishNotReadyAddresses"] =
      flag_or(object_or_empty(jobset.spec, "network"), "publishNotReadyAddresses", true);
  return out;
}

Result<void> check_replicated_job(const Json& replicated_job, const std::string& path) {
  if (auto good = check_counts(replicated_job, {"replicas"}, path); !good) return good;
  if (auto good = check_members(replicated_job, {{"groupName", Shape::string}}, path); !good)
    return good;
  if (auto name = need_text(replicated_job, "name", path); !name) return name.error();
  const Result<const Json*> job = need_object(replicated_job, "template", path);
  if (!job) return job.error();
  const std::string here = below(path, "template");
  if (auto good = check_members(**job, {{"metadata", Shape::object}}, here); !good) return good;
  if (auto good = check_members(object_or_empty(**job, "metadata"),
                                {{"annotations", Shape::string_map}}, below(here, "metadata"));
      !good)
    return good;
  const Result<const Json*> spec = need_object(**job, "spec", here);
  if (!spec) return spec.error();
  return check_job_spec(**spec, below(here, "spec"));
}

Result<void> check_coordinator(const Json& spec) {
  if (auto good = check_members(
          spec, {{"coordinator", Shape::object}, {"volumeClaimPolicies", Shape::objects}}, "spec");
      !good)
    return good;
  if (!spec.contains("coordinator")) return {};
  if (auto name = need_text(spec["coordinator"], "replicatedJob", "spec.coordinator"); !name)
    return name.error();
  return check_counts(spec["coordinator"], {"jobIndex", "podIndex"}, "spec.coordinator");
}

Result<void> check_jobset_spec(const Json& spec) {
  if (auto good = check_members(
          spec, {{"replicatedJobs", Shape::objects}, {"network", Shape::object}}, "spec");
      !good)
    return good;
  if (auto good = check_members(
          object_or_empty(spec, "network"),
          {{"enableDNSHostnames", Shape::boolean}, {"subdomain", Shape::string}}, "spec.network");
      !good)
    return good;
  if (auto good = check_coordinator(spec); !good) return good;
  if (!spec.contains("replicatedJobs")) return bad_value("is missing", "spec.replicatedJobs");
  std::size_t number = 0;
  for (const Json& replicated_job : spec["replicatedJobs"])
    if (auto good =
            check_replicated_job(replicated_job, fmt::format("spec.replicatedJobs[{}]", number++));
        !good)
      return good;
  return {};
}

// Of one that has been checked.
JobSet read_jobset(const Parent& object) {
  const auto& [whole, self, spec] = object;
  const std::string subdomain = text::text_member(object_or_empty(spec, "network"), "subdomain");
  return {whole, spec, spec["replicatedJobs"], self, subdomain.empty() ? self.name : subdomain};
}

}  // namespace

std::uint64_t count_jobset(const Json& jobset) {
  std::uint64_t out = 0;
  for (const Json& job : array_or_empty(object_or_empty(jobset, "spec"), "replicatedJobs"))
    out = add_up(out, multiply(replicas_of(job), count_job_spec(job_spec_of(job))));
  return out;
}

Result<void> expand_jobset(const Parent& object, const ExpandOptions& options, const Visit& visit) {
  if (auto good = check_jobset_spec(object.spec); !good) return good;
  const JobSet jobset = read_jobset(object);
  const std::vector<Position> positions = positions_of(jobset.replicated_jobs);
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (!visit_replicated_job(jobset, jobset.replicated_jobs[i], positions[i], options, visit))
      break;
  return {};
}

Result<Children> children_of_jobset(const Parent& object) {
  if (auto good = check_jobset_spec(object.spec); !good) return good.error();
  const JobSet jobset = read_jobset(object);
  Children out;
  if (has_host_names(jobset)) out.list.push_back({.object = service_of(jobset), .may_exist = true});
  const std::vector<Position> positions = positions_of(jobset.replicated_jobs);
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (positions[i].replicas > 0)
      out.list.push_back({.object = first_job(jobset, jobset.replicated_jobs[i], positions[i]),
                          .count = positions[i].replicas});
  if (!array_or_empty(object.spec, "volumeClaimPolicies").empty())
    out.others.emplace_back("PersistentVolumeClaim");
  return out;
}

}  // namespace tpuwh::server::expand
