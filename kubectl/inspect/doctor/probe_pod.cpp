#include "kubectl/inspect/doctor/probe_pod.hpp"
#include "server/text/json.hpp"

#include <fmt/format.h>

namespace tpuwh::server::doctor {

namespace {

constexpr auto owner_name = "tpu-webhook-probe";
// Of no object: an owner that is not there is no fault of a Pod, and garbage collection sees none
// that was not stored.
constexpr auto owner_uid = "00000000-0000-4000-8000-000000000000";

// The slice has two hosts, of which this is the second: an index of 0 is what a member has anyway.
constexpr auto worker_index = "1";
constexpr auto slice_hosts = "2";

Json plain_pod(const std::string& name) {
  const Json resources = {{"google.com/tpu", "4"}, {"cpu", "100m"}, {"memory", "64Mi"}};
  const Json container = {{"name", "main"},
                          {"image", "registry.k8s.io/pause:3.10"},
                          {"resources", {{"requests", resources}, {"limits", resources}}},
                          {"securityContext",
                           {{"allowPrivilegeEscalation", false},
                            {"runAsNonRoot", true},
                            {"runAsUser", 65532},
                            {"capabilities", {{"drop", Json::array({"ALL"})}}},
                            {"seccompProfile", {{"type", "RuntimeDefault"}}}}}};
  return {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata", {{"name", name}, {"labels", Json::object()}, {"annotations", Json::object()}}},
      {"spec",
       {{"hostname", name},
        {"subdomain", owner_name},
        {"restartPolicy", "Never"},
        {"automountServiceAccountToken", false},
        {"nodeSelector",
         {{"cloud.google.com/gke-tpu-accelerator", "tpu-v6e-slice"},
          {"cloud.google.com/gke-tpu-topology", "2x4"}}},
        {"containers", Json::array({container})}}}};
}

void own_by(Json& pod, const char* api_version, const char* kind) {
  pod["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", api_version},
                                                     {"kind", kind},
                                                     {"name", owner_name},
                                                     {"uid", owner_uid},
                                                     {"controller", true}}});
}

void make_job(Json& pod, const char* job) {
  auto& metadata = pod["metadata"];
  metadata["labels"]["batch.kubernetes.io/job-name"] = job;
  metadata["labels"]["batch.kubernetes.io/job-completion-index"] = worker_index;
  metadata["annotations"]["batch.kubernetes.io/job-completion-index"] = worker_index;
  pod["spec"]["hostname"] = fmt::format("{}-{}", job, worker_index);
}

void make_jobset(Json& pod) {
  make_job(pod, "tpu-webhook-probe-slice-0");
  auto& labels = pod["metadata"]["labels"];
  labels["jobset.sigs.k8s.io/jobset-name"] = owner_name;
  labels["jobset.sigs.k8s.io/replicatedjob-name"] = "slice";
  labels["jobset.sigs.k8s.io/replicatedjob-replicas"] = "1";
  labels["jobset.sigs.k8s.io/job-index"] = "0";
}

// A worker of group 0. LeaderWorkerSet's own webhook reads its index from the end of its name.
void make_lws(Json& pod) {
  auto& metadata = pod["metadata"];
  const std::string name = metadata["name"].get<std::string>() + "-0";
  metadata["name"] = fmt::format("{}-{}", name, worker_index);
  metadata["labels"]["leaderworkerset.sigs.k8s.io/name"] = owner_name;
  metadata["labels"]["leaderworkerset.sigs.k8s.io/group-index"] = "0";
  metadata["labels"]["leaderworkerset.sigs.k8s.io/worker-index"] = worker_index;
  metadata["annotations"]["leaderworkerset.sigs.k8s.io/size"] = slice_hosts;
  metadata["annotations"]["leaderworkerset.sigs.k8s.io/leader-name"] =
      fmt::format("{}-0", owner_name);
  metadata["annotations"]["leaderworkerset.sigs.k8s.io/leader-requests-tpus"] = "true";
  pod["spec"]["hostname"] = fmt::format("{}-0-{}", owner_name, worker_index);
}

void make_ray(Json& pod) {
  auto& labels = pod["metadata"]["labels"];
  labels["ray.io/node-type"] = "worker";
  labels["ray.io/cluster"] = owner_name;
  labels["ray.io/group"] = "workers";
  labels["ray.io/worker-group-replica-index"] = "0";
  labels["ray.io/worker-group-replica-name"] = "workers-0";
  labels["ray.io/replica-host-index"] = worker_index;
  // KubeRay writes neither: the webhook does, which knows the Service.
  pod["spec"].erase("hostname");
  pod["spec"].erase("subdomain");
}

void make_statefulset(Json& pod) {
  own_by(pod, "apps/v1", "StatefulSet");
  pod["metadata"]["labels"]["apps.kubernetes.io/pod-index"] = worker_index;
  pod["spec"]["hostname"] = fmt::format("{}-{}", owner_name, worker_index);
}

void make_pod(Json& pod, const std::string& prefix) {
  auto& annotations = pod["metadata"]["annotations"];
  annotations[prefix + "worker-id"] = worker_index;
  annotations[prefix + "worker-count"] = slice_hosts;
  annotations[prefix + "hostnames"] = fmt::format("{0}-0.{0},{0}-1.{0}", owner_name);
  pod["spec"]["hostname"] = fmt::format("{}-{}", owner_name, worker_index);
}

}  // namespace

Json probe_pod(std::string_view workload, const std::string& prefix, const std::string& nonce) {
  constexpr std::size_t enough = 8;  // so that two who probe at once do not meet
  Json pod = plain_pod(fmt::format("probe-{}-{}", workload, nonce.substr(0, enough)));
  pod["metadata"]["annotations"][prefix + "probe"] = nonce;
  if (workload == "ray") make_ray(pod);
  if (workload == "lws") make_lws(pod);
  if (workload == "jobset") make_jobset(pod);
  if (workload == "job") make_job(pod, owner_name);
  if (workload == "statefulset") make_statefulset(pod);
  if (workload == "pod") make_pod(pod, prefix);
  return pod;
}

}  // namespace tpuwh::server::doctor
