#include "kubectl/predict/expand/job.hpp"

#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/predict/expand/child.hpp"
#include "kubectl/predict/expand/placeholder.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tpuwh::server::expand {

namespace {

const char* const completion_index = objects::key_of(webhook::read::Label::job_completion_index);
constexpr const char* tracking_finalizer = "batch.kubernetes.io/job-tracking";

bool is_indexed(const Json& spec) {
  return text::text_member(spec, "completionMode") == "Indexed";
}

// Names that the API server makes of a prefix have 63 letters, 5 of them its own.
// source: k8s.io/apiserver pkg/storage/names/generate.go, v0.36.3
std::string indexed_prefix(const std::string& job, const std::string& index) {
  constexpr std::size_t longest = 63 - 5;
  const std::string tail = fmt::format("-{}-", index);
  if (job.size() + tail.size() <= longest) return job + tail;
  return job.substr(0, longest - std::min(longest, tail.size())) + tail;
}

// The API server labels the template of a Job that selects its Pods by itself.
void label_as_of(Json& pod, const Owner& job) {
  for (const char* key :
       {objects::key_of(webhook::read::Label::job_uid), objects::key::controller_uid})
    if (label(pod, key).empty()) set_label(pod, key, job.uid());
  for (const char* key : {objects::key_of(webhook::read::Label::job_name),
                          objects::key_of(webhook::read::Label::job_name_legacy)})
    if (label(pod, key).empty()) set_label(pod, key, job.name);
}

void add_finalizer(Json& pod) {
  Json& finalizers = pod["metadata"]["finalizers"];
  if (std::find(finalizers.begin(), finalizers.end(), tracking_finalizer) == finalizers.end())
    finalizers.push_back(tracking_finalizer);
}

void prepare_indexed(Json& pod, const Json& spec) {
  for_each_container(pod, [](Json& container) {
    if (!has_env(container, "JOB_COMPLETION_INDEX"))
      append_field_env(container, "JOB_COMPLETION_INDEX",
                       fmt::format("metadata.labels['{}']", completion_index));
  });
  if (spec.contains("backoffLimitPerIndex"))
    set_annotation(pod, "batch.kubernetes.io/job-index-failure-count", "0");
}

void set_index(Json& pod, const Owner& job, std::uint64_t number) {
  const std::string index = std::to_string(number);
  pod["metadata"]["generateName"] = indexed_prefix(job.name, index);
  set_label(pod, completion_index, index);
  set_annotation(pod, completion_index, index);
  pod["spec"]["hostname"] = fmt::format("{}-{}", job.name, index);
}

// The template of its Jobs.
Result<const Json*> template_of_cron_job(const Json& spec) {
  const Result<const Json*> job = need_object(spec, "jobTemplate", "spec");
  if (!job) return job;
  const Result<const Json*> job_spec = need_object(**job, "spec", "spec.jobTemplate");
  if (!job_spec) return job_spec;
  if (auto good = check_job_spec(**job_spec, "spec.jobTemplate.spec"); !good) return good.error();
  return job;
}

Owner next_job(const Owner& cron_job) {
  return job_called(cron_job.ns, job_name_of_cron_job(cron_job));
}

}  // namespace

Owner job_called(std::string ns, std::string name) {
  return {"batch/v1", "Job", std::move(ns), std::move(name)};
}

std::string job_name_of_cron_job(const Owner& cron_job) {
  return fmt::format("{}-{}", cron_job.name, minutes_of(cron_job.ns, cron_job.name));
}

std::uint64_t count_job_spec(const Json& spec) {
  return controllers::job_pods({.completions = number(spec, "completions"),
                                .parallelism = number(spec, "parallelism"),
                                .indexed = is_indexed(spec)});
}

Result<void> check_job_spec(const Json& spec, const std::string& path) {
  if (auto good = check_counts(spec, {"parallelism", "completions"}, path); !good) return good;
  if (auto good = check_members(
          spec, {{"completionMode", Shape::string}, {"manualSelector", Shape::boolean}}, path);
      !good)
    return good;
  const Result<const Json*> found = need_template(spec, "template", path);
  if (!found) return found.error();
  return {};
}

bool visit_job(const Owner& job, const Json& spec, const ExpandOptions& options,
               const Visit& visit) {
  const bool indexed = is_indexed(spec);
  Json pod = begin_pod(spec["template"], job, "", job.name + '-');
  if (!flag_or(spec, "manualSelector", false)) label_as_of(pod, job);
  add_finalizer(pod);
  if (indexed) prepare_indexed(pod, spec);
  const std::uint64_t count = shown(count_job_spec(spec), options, number(spec, "completions"));
  for (std::uint64_t i = 0; i < count; ++i) {
    if (indexed) set_index(pod, job, i);
    if (!visit(pod)) return false;
  }
  return true;
}

std::uint64_t count_job(const Json& job) {
  return count_job_spec(object_or_empty(job, "spec"));
}

Result<void> expand_job(const Parent& job, const ExpandOptions& options, const Visit& visit) {
  if (auto good = check_job_spec(job.spec, "spec"); !good) return good;
  visit_job(job.self, job.spec, options, visit);
  return {};
}

std::uint64_t count_cron_job(const Json& cron_job) {
  return count_job(object_or_empty(object_or_empty(cron_job, "spec"), "jobTemplate"));
}

Result<void> expand_cron_job(const Parent& cron_job, const ExpandOptions& options,
                             const Visit& visit) {
  const Result<const Json*> job = template_of_cron_job(cron_job.spec);
  if (!job) return job.error();
  visit_job(next_job(cron_job.self), (**job)["spec"], options, visit);
  return {};
}

Result<Children> children_of_cron_job(const Parent& cron_job) {
  const Result<const Json*> job = template_of_cron_job(cron_job.spec);
  if (!job) return job.error();
  Json child =
      begin_child(next_job(cron_job.self), cron_job.self, object_or_empty(**job, "metadata"));
  child["spec"] = (**job)["spec"];
  Children out;
  out.list.push_back({.object = std::move(child)});
  return out;
}

}  // namespace tpuwh::server::expand
