#include "kubectl/predict/expand/ray_pod.hpp"

#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/predict/expand/placeholder.hpp"
#include "kubectl/predict/expand/ray_start.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tpuwh::server::expand {

namespace {

constexpr const char* overwrite_key = "ray.io/overwrite-container-cmd";
constexpr const char* storage_key = "ray.io/external-storage-namespace";
constexpr const char* fault_tolerant_key = "ray.io/ft-enabled";
constexpr const char* token_volume = "ray-token";

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_true(const std::string& text) {
  return lower_case(text) == "true";
}

// KubeRay keeps the end of what is too long, and begins a name with a letter.
std::string shortened(std::string name, std::size_t most, bool no_digit) {
  if (name.size() > most) name.erase(0, name.size() - most);
  const auto first = static_cast<unsigned char>(name.empty() ? 'r' : name.front());
  if ((no_digit && std::isdigit(first) != 0) || std::ispunct(first) != 0) name.front() = 'r';
  return name;
}

std::string checked_name(const std::string& name) {
  return shortened(name, 50, true);
}

// "CLUSTER-GROUP-worker-": KubeRay leaves room for the rest of a name of 63 letters.
std::string generated_name(const std::string& prefix, const char* type) {
  return lower_case(fmt::format("{}-{}-", prefix.substr(0, 50), type));
}

const Json& head_group(const RayCluster& cluster) {
  return object_or_empty(cluster.spec, "headGroupSpec");
}

std::string head_port(const RayCluster& cluster) {
  const std::string port =
      text::text_member(object_or_empty(head_group(cluster), "rayStartParams"), "port");
  return port.empty() ? "6379" : port;
}

std::string head_service(const RayCluster& cluster) {
  const std::string address = head_address(cluster);
  return address.substr(0, address.find('.'));
}

bool autoscales(const RayCluster& cluster) {
  return flag_or(cluster.spec, "enableInTreeAutoscaling", false);
}

const Json& autoscaler_options(const RayCluster& cluster) {
  return object_or_empty(cluster.spec, "autoscalerOptions");
}

bool autoscales_v2(const RayCluster& cluster) {
  return autoscales(cluster) && text::text_member(autoscaler_options(cluster), "version") == "v2";
}

bool is_fault_tolerant(const RayCluster& cluster) {
  return cluster.spec.contains("gcsFaultToleranceOptions") ||
         is_true(text::text_member(cluster.annotations, fault_tolerant_key));
}

Json& ray_container(Json& pod) {
  return pod["spec"]["containers"][0];
}

// ---- metadata

Json begin_ray_pod(const RayCluster& cluster, const Json& group, const std::string& group_name,
                   const char* type, const std::string& generate_name) {
  Json pod = begin_pod(group["template"], cluster.self, "", generate_name);
  Json labels = {{"app.kubernetes.io/created-by", "kuberay-operator"},
                 {objects::key::app_name, "kuberay"},
                 {"ray.io/identifier", ray_identifier(cluster.self.name, type)},
                 {"ray.io/is-ray-node", "yes"}};
  labels.update(object_or_empty(pod["metadata"], "labels"));
  labels.update(object_or_empty(group, "labels"));
  labels[objects::key_of(webhook::read::Label::ray_cluster)] = cluster.self.name;
  labels[objects::key_of(webhook::read::Label::ray_group)] = group_name;
  labels[objects::key_of(webhook::read::Label::ray_node_type)] = type;
  if (cluster.creator == "RayService")
    labels["ray.io/serve"] = std::string_view(type) == "head" ? "false" : "true";
  pod["metadata"]["labels"] = std::move(labels);
  if (is_true(text::text_member(cluster.annotations, overwrite_key)))
    set_annotation(pod, overwrite_key, "true");
  return pod;
}

// ---- containers beside Ray's

Json amounts(const char* cpu, const char* memory) {
  const Json one = {{"cpu", cpu}, {"memory", memory}};
  return {{"limits", one}, {"requests", one}};
}

Json bash() {
  return Json::array({"/bin/bash", "-c", "--"});
}

std::string wait_script(const std::string& address) {
  return fmt::format(
      "\n"
      "\t\t\t\t\tSECONDS=0\n"
      "\t\t\t\t\twhile true; do\n"
      "\t\t\t\t\t\tif (( SECONDS <= 120 )); then\n"
      "\t\t\t\t\t\t\tif ray health-check --address {0} > /dev/null 2>&1; then\n"
      "\t\t\t\t\t\t\t\techo \"GCS is ready.\"\n"
      "\t\t\t\t\t\t\t\tbreak\n"
      "\t\t\t\t\t\t\tfi\n"
      "\t\t\t\t\t\t\techo \"$SECONDS seconds elapsed: Waiting for GCS to be ready.\"\n"
      "\t\t\t\t\t\telse\n"
      "\t\t\t\t\t\t\tif ray health-check --address {0}; then\n"
      "\t\t\t\t\t\t\t\techo \"GCS is ready. Any error messages above can be safely ignored.\"\n"
      "\t\t\t\t\t\t\t\tbreak\n"
      "\t\t\t\t\t\t\tfi\n"
      "\t\t\t\t\t\t\techo \"$SECONDS seconds elapsed: Still waiting for GCS to be ready. For "
      "troubleshooting, refer to the FAQ at "
      "https://docs.ray.io/en/master/cluster/kubernetes/troubleshooting.html.\"\n"
      "\t\t\t\t\t\tfi\n"
      "\t\t\t\t\t\tsleep 5\n"
      "\t\t\t\t\tdone\n"
      "\t\t\t\t",
      address);
}

// Waits for the head with the variables and volumes of the Ray container, for its TLS.
void add_waiting_container(Json& pod, const std::string& address) {
  const Json& ray = ray_container(pod);
  Json container = {{"name", "wait-gcs-ready"}};
  container["command"] = bash();
  container["args"] = Json::array({wait_script(address)});
  for (const char* key : {"image", "imagePullPolicy", "securityContext", "env", "volumeMounts"})
    if (ray.contains(key)) container[key] = ray[key];
  container["resources"] = amounts("200m", "256Mi");
  pod["spec"]["initContainers"].push_back(std::move(container));
}

void append_all(Json& container, const char* key, const Json& more) {
  for (const Json& item : array_or_empty(more, key)) container[key].push_back(item);
}

// The user's options over what KubeRay has.
void override_autoscaler(Json& container, const Json& options) {
  for (const char* key : {"resources", "image", "imagePullPolicy", "securityContext"})
    if (options.contains(key)) container[key] = options[key];
  for (const char* key : {"env", "envFrom", "volumeMounts"}) append_all(container, key, options);
}

Json autoscaler(const RayCluster& cluster, const Json& ray) {
  Json out = {{"name", "autoscaler"}, {"image", text::text_member(ray, "image")}};
  out["imagePullPolicy"] = "IfNotPresent";
  out["command"] = bash();
  out["args"] =
      Json::array({"ray kuberay-autoscaler --cluster-name $(RAY_CLUSTER_NAME) --cluster-namespace "
                   "$(RAY_CLUSTER_NAMESPACE)"});
  append_field_env(out, "RAY_CLUSTER_NAME", "metadata.labels['ray.io/cluster']");
  append_field_env(out, "RAY_CLUSTER_NAMESPACE", "metadata.namespace");
  append_field_env(out, "RAY_HEAD_POD_NAME", "metadata.name");
  append_env(out, "KUBERAY_CRD_VER", "v1");
  out["resources"] = amounts("500m", "512Mi");
  set_token(out, cluster);
  override_autoscaler(out, autoscaler_options(cluster));
  return out;
}

void add_autoscaler(Json& pod, const RayCluster& cluster, StartParams& params) {
  params["no-monitor"] = "true";
  const std::string account = text::text_member(pod["spec"], "serviceAccountName");
  pod["spec"]["serviceAccountName"] = checked_name(account.empty() ? cluster.self.name : account);
  Json container = autoscaler(cluster, ray_container(pod));
  pod["spec"]["containers"].push_back(std::move(container));
  if (autoscales_v2(cluster)) append_env(ray_container(pod), "RAY_enable_autoscaler_v2", "true");
}

// ---- fault tolerance of the GCS

void append_source(Json& container, const char* name, const Json& credential) {
  Json entry = {{"name", name}};
  for (const char* key : {"value", "valueFrom"})
    if (credential.contains(key)) entry[key] = credential[key];
  container["env"].push_back(std::move(entry));
}

void set_redis(Json& container, const Json& options, StartParams& params) {
  append_env(container, "RAY_REDIS_ADDRESS", text::text_member(options, "redisAddress"));
  if (options.contains("redisUsername")) {
    params["redis-username"] = "$REDIS_USERNAME";
    append_source(container, "REDIS_USERNAME", options["redisUsername"]);
  }
  if (options.contains("redisPassword")) {
    params["redis-password"] = "$REDIS_PASSWORD";
    append_source(container, "REDIS_PASSWORD", options["redisPassword"]);
  }
}

void set_head_storage(Json& pod, const RayCluster& cluster, StartParams& params) {
  const Json& options = object_or_empty(cluster.spec, "gcsFaultToleranceOptions");
  std::string storage = text::text_member(options, "externalStorageNamespace");
  if (storage.empty()) storage = text::text_member(cluster.annotations, storage_key);
  if (storage.empty()) storage = cluster.self.uid();
  set_annotation(pod, storage_key, storage);
  Json& container = ray_container(pod);
  if (!has_env(container, "RAY_external_storage_namespace"))
    append_env(container, "RAY_external_storage_namespace", storage);
  if (cluster.spec.contains("gcsFaultToleranceOptions")) {
    set_redis(container, options, params);
  } else if (params.contains("redis-password") && !has_env(container, "REDIS_PASSWORD")) {
    append_env(container, "REDIS_PASSWORD", params["redis-password"]);
  }
}

void set_fault_tolerance_of_head(Json& pod, const RayCluster& cluster, StartParams& params) {
  const bool on = is_fault_tolerant(cluster);
  set_annotation(pod, fault_tolerant_key, on ? "true" : "false");
  if (on) set_head_storage(pod, cluster, params);
}

void set_fault_tolerance_of_worker(Json& pod, const RayCluster& cluster) {
  constexpr const char* timeout = "RAY_gcs_rpc_server_reconnect_timeout_s";
  if (is_fault_tolerant(cluster) && !has_env(ray_container(pod), timeout))
    append_env(ray_container(pod), timeout, "600");
}

// ---- what all Pods get

void add_metrics_port(Json& container) {
  for (const Json& port : array_or_empty(container, "ports"))
    if (text::text_member(port, "name") == "metrics") return;
  container["ports"].push_back({{"name", "metrics"}, {"containerPort", 8080}});
}

bool has_member(const Json& list, const char* key, std::string_view value) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Json& item) { return text::text_member(item, key) == value; });
}

void add_empty_dir(Json& pod, std::size_t container, const char* name, const char* path,
                   const Json& source) {
  Json& mounting = pod["spec"]["containers"][container];
  if (has_member(array_or_empty(mounting, "volumeMounts"), "mountPath", path)) return;
  mounting["volumeMounts"].push_back({{"name", name}, {"mountPath", path}});
  if (!has_member(array_or_empty(pod["spec"], "volumes"), "name", name))
    pod["spec"]["volumes"].push_back({{"name", name}, {"emptyDir", source}});
}

// Shared memory as large as the container's own.
void add_shared_memory(Json& pod) {
  Json source = Json::object();
  source["medium"] = "Memory";
  const Json& resources = object_or_empty(ray_container(pod), "resources");
  for (const char* kind : {"requests", "limits"}) {
    const Json* memory = text::find_member(object_or_empty(resources, kind), "memory");
    if (memory != nullptr)
      source["sizeLimit"] = memory->is_string() ? *memory : Json(text::dump_json(*memory));
  }
  add_empty_dir(pod, 0, "shared-mem", "/dev/shm", source);
}

std::string words_of(const Json& container, const char* key) {
  std::string out;
  for (const Json& word : array_or_empty(container, key))
    out += fmt::format(" {} ", word.get_ref<const std::string&>());
  return out;
}

// The user's command runs before Ray, unless it starts Ray itself.
void set_command(Json& pod, const std::string& start) {
  Json& container = ray_container(pod);
  const std::string own = words_of(container, "command") + words_of(container, "args");
  if (is_true(annotation(pod, overwrite_key)) || own.find("ray start") != std::string::npos) return;
  const std::string generated = fmt::format("ulimit -n 65536; {}", start);
  container["command"] = bash();
  container["args"] =
      Json::array({own.empty() ? generated : fmt::format("{} && {}", own, generated)});
}

void set_head_names(Json& container, const RayCluster& cluster) {
  append_env(container, "FQ_RAY_IP", head_address(cluster));
  append_env(container, "RAY_IP", head_service(cluster));
}

void set_default(Json& container, const char* name, const std::string& value) {
  if (!has_env(container, name)) append_env(container, name, value);
}

void set_variables(Json& pod, const RayCluster& cluster, RayNode node, const std::string& start) {
  for (Json& container : pod["spec"]["initContainers"]) set_head_names(container, cluster);
  Json& container = ray_container(pod);
  const bool head = node == RayNode::head;
  if (!head) set_head_names(container, cluster);
  append_field_env(container, "RAY_CLUSTER_NAME", "metadata.labels['ray.io/cluster']");
  append_field_env(container, "RAY_CLUSTER_NAMESPACE", "metadata.namespace");
  append_field_env(container, "RAY_CLOUD_INSTANCE_ID", "metadata.name");
  append_field_env(container, "RAY_NODE_TYPE_NAME", "metadata.labels['ray.io/group']");
  append_env(container, "KUBERAY_GEN_RAY_START_CMD", start);
  set_default(container, "RAY_PORT", head_port(cluster));
  if (cluster.creator == "RayService") {
    set_default(container, "RAY_timeout_ms_task_wait_for_death_info", "0");
    set_default(container, "RAY_gcs_server_request_timeout_seconds", "5");
    set_default(container, "RAY_SERVE_KV_TIMEOUT_S", "5");
  }
  const std::string ip = head ? "127.0.0.1" : head_address(cluster);
  set_default(container, "RAY_ADDRESS", fmt::format("{}:{}", ip, head_port(cluster)));
  set_default(container, "RAY_USAGE_STATS_KUBERAY_IN_USE", "1");
  if (head)
    append_env(container, "RAY_USAGE_STATS_EXTRA_TAGS",
               fmt::format("kuberay_version={};kuberay_crd={}", kuberay_version, cluster.creator));
  set_default(container, "RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE", "1");
}

std::string health_check(int timeout, std::int64_t port, const char* path) {
  return fmt::format("wget --tries 1 -T {} -q -O- http://localhost:{}/{} | grep success", timeout,
                     port, path);
}

Json command_check(const std::string& check) {
  return {{"command", Json::array({"bash", "-c", check})}};
}

Json probe(const char* how, Json check, int delay, int timeout, int failures) {
  Json out = Json::object();
  out[how] = std::move(check);
  out["initialDelaySeconds"] = delay;
  out["timeoutSeconds"] = timeout;
  out["periodSeconds"] = 5;
  out["successThreshold"] = 1;
  out["failureThreshold"] = failures;
  return out;
}

// A number of 32 bits among the parameters.
std::int32_t port_of(const StartParams& params, const char* name, std::int32_t otherwise) {
  const auto found = params.find(name);
  if (found == params.end()) return otherwise;
  const std::string& text = found->second;
  std::int32_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() ? port : otherwise;
}

// From 2.53 on Ray has one address that answers for all of a node.
bool has_one_health_check(const std::string& ray_version) {
  const std::size_t start = ray_version.starts_with('v') ? 1 : 0;
  const char* const end = ray_version.data() + ray_version.size();
  std::array<std::uint32_t, 2> parts{};
  const auto major = std::from_chars(ray_version.data() + start, end, parts[0]);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return false;
  const auto minor = std::from_chars(major.ptr + 1, end, parts[1]);
  return minor.ec == std::errc() && parts >= std::array<std::uint32_t, 2>{2, 53};
}

void add_probes(Json& container, const RayCluster& cluster, RayNode node,
                const StartParams& params) {
  const bool head = node == RayNode::head;
  const std::int32_t agent = port_of(params, "dashboard-agent-listen-port", 52365);
  std::string check = health_check(2, agent, "api/local_raylet_healthz");
  if (head)
    check += " && " + health_check(10, port_of(params, "dashboard-port", 8265), "api/gcs_healthz");
  const bool one = has_one_health_check(text::text_member(cluster.spec, "rayVersion"));
  const char* const how = one ? "httpGet" : "exec";
  const Json what = one ? Json{{"path", "/api/healthz"}, {"port", agent}} : command_check(check);
  const int timeout = head ? 5 : 2;
  if (!container.contains("livenessProbe"))
    container["livenessProbe"] = probe(how, what, 30, timeout, 120);
  if (container.contains("readinessProbe")) return;
  const bool serves = !head && cluster.creator == "RayService";
  if (!serves) {
    container["readinessProbe"] = probe(how, what, 10, timeout, 10);
    return;
  }
  check += " && " + health_check(10, port_named(container, "serve", 8000), "-/healthz");
  container["readinessProbe"] = probe("exec", command_check(check), 10, timeout, 1);
}

// What Ray's processes show each other.
enum class Token { none, of_secret, of_account };

Token token_of(const RayCluster& cluster) {
  const Json& options = object_or_empty(cluster.spec, "authOptions");
  if (text::text_member(options, "mode") != "token") return Token::none;
  return flag_or(options, "enableK8sTokenAuth", false) ? Token::of_account : Token::of_secret;
}

// With the ServiceAccount's token that set_token() mounts.
void add_token_volume(Json& pod, const RayCluster& cluster) {
  if (token_of(cluster) != Token::of_account ||
      has_member(array_or_empty(pod["spec"], "volumes"), "name", token_volume))
    return;
  Json volume = {{"name", token_volume}};
  volume["projected"]["sources"] = Json::array({{{"serviceAccountToken", {{"path", "token"}}}}});
  pod["spec"]["volumes"].push_back(std::move(volume));
}

// What follows on the parts that head and worker have of their own.
void finish(Json& pod, const RayCluster& cluster, RayNode node, const StartParams& params) {
  add_metrics_port(ray_container(pod));
  if (autoscales_v2(cluster)) pod["spec"]["restartPolicy"] = "Never";
  set_token(ray_container(pod), cluster);
  add_token_volume(pod, cluster);
  for (Json& container : pod["spec"]["initContainers"])
    if (text::text_member(container, "name") == "wait-gcs-ready") set_token(container, cluster);
  // Ray keeps its objects elsewhere where that is set.
  if (!params.contains("plasma-directory")) add_shared_memory(pod);
  if (node == RayNode::head && autoscales(cluster)) {
    const Json& containers = pod["spec"]["containers"];
    const auto found = std::find_if(containers.begin(), containers.end(), [](const Json& one) {
      return text::text_member(one, "name") == "autoscaler";
    });
    const auto index = static_cast<std::size_t>(found - containers.begin());
    add_empty_dir(pod, 0, "ray-logs", "/tmp/ray", Json::object());
    add_empty_dir(pod, index, "ray-logs", "/tmp/ray", Json::object());
  }
  const std::string start = start_command(params, node, ray_container(pod));
  set_command(pod, start);
  set_variables(pod, cluster, node, start);
  add_probes(ray_container(pod), cluster, node, params);
  if (pod["spec"]["initContainers"].empty()) pod["spec"].erase("initContainers");
}

}  // namespace

void label_origin(Json& object, const Owner& maker) {
  set_label(object, "ray.io/originated-from-cr-name", maker.name);
  set_label(object, objects::key::ray_originated_from, maker.kind);
}

std::string ray_identifier(const std::string& name, const char* type) {
  return shortened(fmt::format("{}-{}", name, type), 63, false);
}

std::string head_address(const RayCluster& cluster) {
  const Json& service = object_or_empty(head_group(cluster), "headService");
  std::string name = text::text_member(object_or_empty(service, "metadata"), "name");
  if (name.empty()) name = cluster.self.name + "-head-svc";
  return fmt::format("{}.{}.svc.cluster.local", name, cluster.self.ns);
}

std::uint64_t port_named(const Json& container, const char* name, std::uint64_t otherwise) {
  for (const Json& port : array_or_empty(container, "ports"))
    if (text::text_member(port, "name") == name) return count_or(port, "containerPort", 0);
  return otherwise;
}

void set_token(Json& container, const RayCluster& cluster) {
  const Token token = token_of(cluster);
  if (token == Token::none) return;
  set_default(container, "RAY_AUTH_MODE", "token");
  if (token == Token::of_account) {
    set_default(container, "RAY_ENABLE_K8S_TOKEN_AUTH", "true");
    if (!has_member(array_or_empty(container, "volumeMounts"), "name", token_volume))
      container["volumeMounts"].push_back({{"name", token_volume},
                                           {"mountPath", "/var/run/secrets/ray.io/serviceaccount"},
                                           {"readOnly", true}});
    return;
  }
  if (has_env(container, "RAY_AUTH_TOKEN")) return;
  const std::string own =
      text::text_member(object_or_empty(cluster.spec, "authOptions"), "secretName");
  Json entry = {{"name", "RAY_AUTH_TOKEN"}};
  entry["valueFrom"]["secretKeyRef"] = {
      {"name", own.empty() ? checked_name(cluster.self.name) : own}, {"key", "auth_token"}};
  container["env"].push_back(std::move(entry));
}

Json head_pod(const RayCluster& cluster) {
  const Json& group = head_group(cluster);
  Json pod =
      begin_ray_pod(cluster, group, "headgroup", "head", generated_name(cluster.self.name, "head"));
  const std::string name =
      text::text_member(object_or_empty(group["template"], "metadata"), "name");
  if (!name.empty()) pod["metadata"]["name"] = name;
  StartParams params = start_params(group, RayNode::head, "");
  if (autoscales(cluster)) add_autoscaler(pod, cluster, params);
  set_fault_tolerance_of_head(pod, cluster, params);
  set_annotation(pod, "ray.io/upgrade-strategy-recreate-hash",
                 hash_of("RayCluster", cluster.self.ns, cluster.self.name));
  set_annotation(pod, "ray.io/kuberay-version", kuberay_version);
  finish(pod, cluster, RayNode::head, params);
  return pod;
}

Json worker_pod(const RayCluster& cluster, const Json& group) {
  const std::string name = text::text_member(group, "groupName");
  const std::string address = fmt::format("{}:{}", head_address(cluster), head_port(cluster));
  Json pod = begin_ray_pod(cluster, group, name, "worker",
                           generated_name(fmt::format("{}-{}", cluster.self.name, name), "worker"));
  add_waiting_container(pod, address);
  set_fault_tolerance_of_worker(pod, cluster);
  finish(pod, cluster, RayNode::worker, start_params(group, RayNode::worker, address));
  return pod;
}

}  // namespace tpuwh::server::expand
