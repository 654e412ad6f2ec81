#include "kubectl/predict/expand/ray_job.hpp"

#include "kubectl/objects/json_path.hpp"
#include "kubectl/predict/expand/child.hpp"
#include "kubectl/predict/expand/job.hpp"
#include "kubectl/predict/expand/placeholder.hpp"
#include "kubectl/predict/expand/ray.hpp"
#include "kubectl/predict/expand/submitter.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace tpuwh::server::expand {

namespace {

// K8sJobMode where it is absent; a Job submits. SidecarMode: a container beside the head.
std::string mode_of(const Json& spec) {
  const std::string mode = text::text_member(spec, "submissionMode");
  return mode.empty() ? "K8sJobMode" : mode;
}

// A cluster that is there already, which makes no Pods.
std::string selected_cluster(const Json& spec) {
  return text::text_member(object_or_empty(spec, "clusterSelector"),
                           objects::key_of(webhook::read::Label::ray_cluster));
}

std::string submission_id(const Json& spec, const Owner& job) {
  const std::string id = text::text_member(spec, "jobId");
  return id.empty() ? fmt::format("{}-{}", job.name, suffix_of("submission", job.ns, job.name, 5))
                    : id;
}

const Json& ray_container_of(const RayCluster& cluster) {
  return cluster.spec["headGroupSpec"]["template"]["spec"]["containers"][0];
}

// The cluster of the job, or what is known of one that is there.
Result<RayCluster> cluster_of(const Parent& job) {
  const std::string selected = selected_cluster(job.spec);
  if (selected.empty()) return read_cluster(job, "rayClusterSpec");
  return RayCluster{{job.self.api_version, "RayCluster", job.self.ns, selected},
                    Json::object(),
                    Json::object(),
                    "RayCluster"};
}

Submission submission_of(const Json& spec, const Owner& job, const RayCluster& cluster,
                         bool sidecar) {
  const std::uint64_t port = cluster.spec.contains("headGroupSpec")
                                 ? port_named(ray_container_of(cluster), "dashboard", 8265)
                                 : 8265;
  std::string dashboard =
      sidecar ? std::string() : fmt::format("{}:{}", head_address(cluster), port);
  return {std::move(dashboard), port, submission_id(spec, job), spec};
}

// KubeRay puts the container into the cluster that it makes, and lets the head end with it.
Result<void> add_sidecar(RayCluster& cluster, const Json& spec, const Owner& job) {
  Json container = default_submitter(text::text_member(ray_container_of(cluster), "image"));
  if (auto good = set_submission(container, submission_of(spec, job, cluster, true)); !good)
    return good;
  set_token(container, cluster);
  Json& pod = cluster.spec["headGroupSpec"]["template"]["spec"];
  pod["containers"].push_back(std::move(container));
  pod["restartPolicy"] = "Never";
  return {};
}

Json submitter_template(const Json& spec, const RayCluster& cluster) {
  if (spec.contains("submitterPodTemplate")) return spec["submitterPodTemplate"];
  const std::string image = cluster.spec.contains("headGroupSpec")
                                ? text::text_member(ray_container_of(cluster), "image")
                                : std::string();
  Json out = Json::object();
  out["spec"]["containers"].push_back(default_submitter(image));
  out["spec"]["restartPolicy"] = "Never";
  return out;
}

// The spec of the Job that submits.
Result<Json> submitter_job(const Json& spec, const Owner& job, const RayCluster& cluster) {
  Json out = Json::object();
  out["template"] = submitter_template(spec, cluster);
  Json& container = out["template"]["spec"]["containers"][0];
  if (auto good = set_submission(container, submission_of(spec, job, cluster, false)); !good)
    return good.error();
  set_token(container, cluster);
  return out;
}

Result<void> check_ray_job(const Json& spec) {
  if (auto good = check_members(spec,
                                {{"clusterSelector", Shape::string_map},
                                 {"submissionMode", Shape::string},
                                 {"jobId", Shape::string},
                                 {"entrypoint", Shape::string},
                                 {"runtimeEnvYAML", Shape::string},
                                 {"metadata", Shape::string_map},
                                 {"entrypointResources", Shape::string}},
                                "spec");
      !good)
    return good;
  if (!spec.contains("submitterPodTemplate")) return {};
  if (auto pod = need_template(spec, "submitterPodTemplate", "spec"); !pod) return pod.error();
  return {};
}

// What comes of a RayJob.
struct Made {
  std::optional<RayCluster> cluster;  // none where it selects one
  std::optional<Json> submitter;      // the spec of a Job
};

Result<Made> read_ray_job(const Parent& object) {
  const auto& [whole, self, spec] = object;
  if (auto good = check_ray_job(spec); !good) return good.error();
  Result<RayCluster> cluster = cluster_of(object);
  if (!cluster) return cluster.error();
  Made out;
  if (mode_of(spec) == "K8sJobMode") {
    Result<Json> job = submitter_job(spec, self, *cluster);
    if (!job) return job.error();
    out.submitter = std::move(*job);
  }
  if (!selected_cluster(spec).empty()) return out;
  if (mode_of(spec) == "SidecarMode")
    if (auto good = add_sidecar(*cluster, spec, self); !good) return good.error();
  out.cluster = std::move(*cluster);
  return out;
}

Json submitter_child(const Json& submitter, const Parent& ray_job) {
  const Owner& self = ray_job.self;
  Json job = begin_child(job_called(self.ns, self.name), self, {});
  label_origin(job, self);
  set_label(job, "app.kubernetes.io/created-by", "kuberay-operator");
  job["spec"] = submitter;
  job["spec"]["backoffLimit"] =
      count_or(object_or_empty(ray_job.spec, "submitterConfig"), "backoffLimit", 2);
  return job;
}

}  // namespace

std::uint64_t count_ray_job(const Json& job) {
  const Json& spec = object_or_empty(job, "spec");
  const std::uint64_t of_cluster = selected_cluster(spec).empty()
                                       ? count_cluster_spec(object_or_empty(spec, "rayClusterSpec"))
                                       : 0;
  return add_up(of_cluster, mode_of(spec) == "K8sJobMode" ? 1 : 0);
}

Result<void> expand_ray_job(const Parent& object, const ExpandOptions& options,
                            const Visit& visit) {
  const Result<Made> made = read_ray_job(object);
  if (!made) return made.error();
  if (made->cluster && !visit_cluster(*made->cluster, options, visit)) return {};
  if (made->submitter)
    visit_job(job_called(object.self.ns, object.self.name), *made->submitter, options, visit);
  return {};
}

Result<Children> children_of_ray_job(const Parent& object) {
  const Result<Made> made = read_ray_job(object);
  if (!made) return made.error();
  Children out;
  if (made->cluster) {
    add_made_cluster(*made->cluster, object, out);
    Json& cluster = out.list.front().object;
    set_label(cluster, "ray.io/job-submission-mode", mode_of(object.spec));
    if (mode_of(object.spec) == "SidecarMode")
      set_annotation(cluster, "ray.io/disable-provisioned-head-restart", "true");
  }
  if (made->submitter) out.list.push_back({.object = submitter_child(*made->submitter, object)});
  return out;
}

}  // namespace tpuwh::server::expand
