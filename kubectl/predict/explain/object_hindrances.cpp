#include "kubectl/predict/explain/hindrances.hpp"
#include "kubectl/predict/explain/pod_json.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tpuwh::server::explain {

namespace {

// Who is named in spec.managedBy where nobody else is.
struct Controller {
  std::string_view kind, name;
};
constexpr std::array controllers{Controller{"Job", "kubernetes.io/job-controller"},
                                 Controller{"JobSet", "jobset.sigs.k8s.io/jobset-controller"},
                                 Controller{"RayCluster", "ray.io/kuberay-operator"},
                                 Controller{"RayJob", "ray.io/kuberay-operator"},
                                 Controller{"RayService", "ray.io/kuberay-operator"}};

void look_at_manager(std::string_view kind, const Json& spec, std::vector<std::string>& out) {
  const auto usual = std::ranges::find(controllers, kind, &Controller::kind);
  const std::string manager = text::text_member(spec, "managedBy");
  if (usual == controllers.end() || manager.empty() || manager == usual->name) return;
  out.push_back(
      fmt::format("managedBy is {}: the controller of this cluster leaves the {} to it, and "
                  "creates none of these Pods",
                  manager, kind));
}

void look_at_deadline(std::string_view kind, const Json& spec, std::vector<std::string>& out) {
  const Json& seconds = text::member(spec, "activeDeadlineSeconds");
  if (!seconds.is_number_unsigned()) return;
  out.push_back(
      fmt::format("the {} ends {} s after it began (activeDeadlineSeconds), even if its Pods still "
                  "wait for nodes",
                  kind, seconds.get<std::uint64_t>()));
}

// source: kuberay ray-operator/controllers/ray/rayjob_controller.go, v1.6.2
void look_at_time_to_begin(const Json& spec, std::vector<std::string>& out) {
  const Json& seconds = text::member(spec, "preRunningDeadlineSeconds");
  if (!seconds.is_number_unsigned()) return;
  out.push_back(
      fmt::format("the RayJob fails {} s after it began (preRunningDeadlineSeconds) if its Pods "
                  "still wait for nodes",
                  seconds.get<std::uint64_t>()));
}

void look_at_job(const Json& spec, std::vector<std::string>& out) {
  look_at_manager("Job", spec, out);
  look_at_deadline("Job", spec, out);
}

}  // namespace

std::vector<std::string> hindrances_of_object(const Json& object) {
  const std::string kind = text::text_member(object, "kind");
  const Json& spec = at(object, {"spec"});
  std::vector<std::string> out;
  if (kind != "Job") look_at_manager(kind, spec, out);
  if (kind == "Job") look_at_job(spec, out);
  if (kind == "CronJob") look_at_job(at(spec, {"jobTemplate", "spec"}), out);
  if (kind == "JobSet")
    for (const Json& each : at(spec, {"replicatedJobs"}))
      look_at_job(at(each, {"template", "spec"}), out);
  if (kind == "RayJob") {
    look_at_deadline(kind, spec, out);
    look_at_time_to_begin(spec, out);
  }
  for (const char* cluster : {"rayClusterSpec", "rayClusterConfig"})
    look_at_manager("RayCluster", text::member(spec, cluster), out);
  if (kind == "Deployment" && text::member(spec, "paused") == Json(true))
    out.emplace_back("it is paused: its Pods are created when it is resumed");
  // Jobs of one object that say the same.
  std::ranges::sort(out);
  const auto same = std::ranges::unique(out);
  out.erase(same.begin(), same.end());
  return out;
}

}  // namespace tpuwh::server::explain
