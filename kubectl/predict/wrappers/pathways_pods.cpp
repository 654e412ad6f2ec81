#include "kubectl/predict/wrappers/pathways_pods.hpp"

#include "kubectl/predict/expand/pod_template.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tpuwh::server::wrappers {

namespace {

using expand::array_or_empty;
using expand::object_or_empty;

constexpr std::array machines{Machine{"tpu7x-standard-4t", "tpu7x", "tpu7x"},
                              Machine{"ct6e-standard-4t", "tpuv6e", "tpu-v6e-slice"},
                              Machine{"ct6e-standard-8t", "tpuv6e1t", "tpu-v6e-slice", 8},
                              Machine{"ct5p-hightpu-4t", "tpuv5", "tpu-v5p-slice"},
                              Machine{"ct5lp-hightpu-4t", "tpuv5e", "tpu-v5-lite-podslice"},
                              Machine{"ct5lp-hightpu-8t", "tpuv5e1t", "tpu-v5-lite-podslice", 8},
                              Machine{"ct4p-hightpu-4t", "tpuv4", "tpu-v4-podslice"}};

constexpr int proxy_port = 29000, manager_port = 29001, worker_port = 29005;
constexpr const char* coordinator = "metadata.labels['jobset.sigs.k8s.io/coordinator']";
constexpr const char* jobset_name = "metadata.annotations['jobset.sigs.k8s.io/jobset-name']";
constexpr const char* job_name = "metadata.annotations['jobset.sigs.k8s.io/replicatedjob-name']";
constexpr const char* images = "us-docker.pkg.dev/cloud-tpu-v2-images/pathways";

// What a user says of one of its components.
const Json* component_of(const Pathways& pathways, std::string_view type) {
  const Json& all = array_or_empty(pathways.spec, "customComponents");
  const auto found = std::ranges::find_if(
      all, [&](const Json& each) { return text::text_member(each, "componentType") == type; });
  return found == all.end() ? nullptr : &*found;
}

std::string image_of(const Pathways& pathways, std::string_view type) {
  const Json* own = component_of(pathways, type);
  if (own != nullptr && !text::text_member(*own, "image").empty())
    return text::text_member(*own, "image");
  const std::string version = text::text_member(pathways.spec, "pathwaysVersion");
  return fmt::format("{}/{}:{}", images, type == "proxy_server" ? "proxy_server" : "server",
                     version.empty() ? "latest" : version);
}

// What all of its own containers end with.
void add_custom(const Pathways& pathways, std::string_view type, Json& container) {
  if (expand::flag_or(pathways.controller, "enableMetricsCollection", false))
    container["args"].push_back("--enable_metrics_collection=true");
  const Json* own = component_of(pathways, type);
  if (own == nullptr) return;
  for (const Json& each : array_or_empty(*own, "customFlags")) container["args"].push_back(each);
  for (const Json& each : array_or_empty(*own, "customEnv")) container["env"].push_back(each);
}

Json ports_of(std::initializer_list<int> ports) {
  Json out = Json::array();
  for (const int each : ports) out.push_back({{"containerPort", each}});
  return out;
}

std::string scratch_of(const Pathways& pathways) {
  return fmt::format("--gcs_scratch_location={}", text::text_member(pathways.spec, "pathwaysDir"));
}

// Of what serves at a port and asks the resource manager of the head.
Json arguments(const Pathways& pathways, int port) {
  return Json::array({fmt::format("--server_port={}", port),
                      fmt::format("--resource_manager_address=$(PATHWAYS_HEAD):{}", manager_port),
                      scratch_of(pathways)});
}

Json begin_container(const Pathways& pathways, const char* name, std::string_view type) {
  return {{"name", name}, {"image", image_of(pathways, type)}, {"imagePullPolicy", "Always"}};
}

Json manager_container(const Pathways& pathways) {
  Json out = begin_container(pathways, "pathways-rm", "pathways_server");
  out["args"] = Json::array(
      {fmt::format("--server_port={}", manager_port), scratch_of(pathways),
       "--node_type=resource_manager",
       fmt::format("--instance_count={}", expand::count_or(pathways.worker, "numSlices", 0)),
       fmt::format("--instance_type={}:{}", pathways.machine.instance, pathways.topology)});
  out["env"] = Json::array();
  expand::append_field_env(out, "REPLICATED_JOB_NAME", job_name);
  expand::append_field_env(out, "JOBSET_NAME", jobset_name);
  expand::append_field_env(out, "HOST_ADDRESS", coordinator);
  expand::append_env(out, "TPU_SKIP_MDS_QUERY", "true");
  add_custom(pathways, "pathways_server", out);
  out["ports"] = ports_of({manager_port, 29002});
  out["resources"]["limits"] = {{"cpu", "8"}, {"memory", "32G"}};
  return out;
}

Json proxy_container(const Pathways& pathways) {
  Json out = begin_container(pathways, "pathways-proxy", "proxy_server");
  out["args"] = arguments(pathways, proxy_port);
  out["env"] = Json::array();
  expand::append_field_env(out, "PATHWAYS_HEAD", coordinator);
  add_custom(pathways, "proxy_server", out);
  if (const auto elastic = expand::count_or(pathways.controller, "elasticSlices", 0); elastic > 0)
    out["args"].push_back(fmt::format("--num_elastic_slices={}", elastic));
  out["ports"] = ports_of({proxy_port});
  out["resources"]["limits"] = {{"cpu", "16"}, {"memory", "100G"}};
  return out;
}

Json as_sidecar(Json container) {
  container["restartPolicy"] = "Always";
  return container;
}

// Where the user's JAX program runs, the proxy is its backend.
void set_backend(const Pathways& pathways, Json& spec) {
  std::string main = text::text_member(pathways.controller, "mainContainerName");
  if (main.empty()) main = "main";
  for (Json& container : spec["containers"]) {
    if (text::text_member(container, "name") != main) continue;
    expand::append_field_env(container, "PATHWAYS_HEAD", coordinator);
    expand::append_env(container, "JAX_PLATFORMS", "proxy");
    expand::append_env(container, "XCLOUD_ENVIRONMENT", "GCP");
    expand::append_env(container, "JAX_BACKEND_TARGET",
                       fmt::format("grpc://$(PATHWAYS_HEAD):{}", proxy_port));
  }
}

Json tpu_selector(const Pathways& pathways) {
  Json out = object_or_empty(pathways.worker, "nodeSelector");
  out["cloud.google.com/gke-tpu-accelerator"] = std::string(pathways.machine.accelerator);
  out["cloud.google.com/gke-tpu-topology"] = pathways.topology;
  return out;
}

void on_the_host_network(Json& spec) {
  spec["hostNetwork"] = true;
  spec["dnsPolicy"] = "ClusterFirstWithHostNet";
}

Json worker_container(const Pathways& pathways) {
  Json out = begin_container(pathways, "pathways-worker", "worker");
  out["args"] = arguments(pathways, worker_port);
  out["env"] = Json::array();
  expand::append_env(out, "TPU_MIN_LOG_LEVEL", "0");
  expand::append_env(out, "TF_CPP_MIN_LOG_LEVEL", "0");
  expand::append_env(out, "XCLOUD_ENVIRONMENT", "GCP");
  expand::append_env(out, "MEGASCALE_GRPC_ENABLE_XOR_TRACER", "false");
  expand::append_field_env(out, "MEGASCALE_NUM_SLICES",
                           "metadata.labels['jobset.sigs.k8s.io/replicatedjob-replicas']");
  expand::append_field_env(out, "JOBSET_NAME", jobset_name);
  expand::append_field_env(out, "REPLICATED_JOB_NAME", job_name);
  expand::append_field_env(out, "MEGASCALE_SLICE_ID",
                           "metadata.labels['jobset.sigs.k8s.io/job-index']");
  expand::append_field_env(out, "PATHWAYS_HEAD", coordinator);
  expand::append_field_env(out, "MEGASCALE_COORDINATOR_ADDRESS", coordinator);
  add_custom(pathways, "worker", out);
  out["ports"] = ports_of({worker_port, 29006, 8471, 8080});
  out["volumeMounts"] = Json::array({{{"name", "shared-tmp"}, {"mountPath", "/tmp"}}});
  out["resources"]["limits"]["google.com/tpu"] = std::to_string(pathways.machine.chips);
  return out;
}

// Python beside the workers, where the user has an image for it.
std::optional<Json> python_sidecar(const Pathways& pathways) {
  const Json* own = component_of(pathways, "colocated_python_sidecar");
  if (own == nullptr || text::text_member(*own, "image").empty()) return std::nullopt;
  Json out{{"name", "colocated-python-sidecar"},
           {"image", text::text_member(*own, "image")},
           {"imagePullPolicy", "Always"}};
  out["env"] = Json::array({{{"name", "GRPC_SERVER_ADDRESS"}, {"value", "'0.0.0.0:50051'"}}});
  out["ports"] = ports_of({50051});
  out["volumeMounts"] = Json::array({{{"name", "shared-tmp"}, {"mountPath", "/tmp"}}});
  return as_sidecar(std::move(out));
}

// The head beside the workers, and no other JobSet on their node pools.
Json affinity_of(const Pathways& pathways) {
  const auto term = [](Json expressions) {
    Json out;
    out["labelSelector"]["matchExpressions"] = std::move(expressions);
    out["topologyKey"] = "cloud.google.com/gke-nodepool";
    return out;
  };
  const Json name = Json::array({pathways.name});
  constexpr const char* key = "jobset.sigs.k8s.io/jobset-name";
  Json pod;
  pod["spec"] = Json::object();
  expand::append_required(pod, "podAffinity",
                          term(Json::array({expand::expression(key, "In", name)})));
  expand::append_required(pod, "podAntiAffinity",
                          term(Json::array({expand::expression(key, "NotIn", name),
                                            expand::expression("job-name", "Exists")})));
  return pod["spec"]["affinity"];
}

}  // namespace

const Machine* find_machine(std::string_view type) {
  const auto found = std::ranges::find(machines, type, &Machine::type);
  return found == machines.end() ? nullptr : found;
}

Json head_spec(const Pathways& pathways) {
  const Json manager = manager_container(pathways), proxy = proxy_container(pathways);
  Json out = Json::object();
  if (pathways.controller.contains("template")) {
    out = pathways.controller["template"]["spec"];
    for (const Json& each : {manager, proxy}) out["initContainers"].push_back(as_sidecar(each));
    set_backend(pathways, out);
  } else {
    out["containers"] = Json::array({manager, proxy});
  }
  on_the_host_network(out);
  if (pathways.colocated) out["nodeSelector"] = tpu_selector(pathways);
  return out;
}

Json worker_spec(const Pathways& pathways) {
  Json out = Json::object();
  for (const char* key : {"terminationGracePeriodSeconds", "priorityClassName"})
    if (pathways.worker.contains(key)) out[key] = pathways.worker[key];
  out["containers"] = Json::array({worker_container(pathways)});
  if (auto python = python_sidecar(pathways))
    out["initContainers"] = Json::array({*std::move(python)});
  out["nodeSelector"] = tpu_selector(pathways);
  Json volume{{"name", "shared-tmp"}};
  volume["hostPath"] = {{"path", "/tmp"}, {"type", "DirectoryOrCreate"}};
  out["volumes"] = Json::array({std::move(volume)});
  on_the_host_network(out);
  if (pathways.colocated) out["affinity"] = affinity_of(pathways);
  return out;
}

}  // namespace tpuwh::server::wrappers
