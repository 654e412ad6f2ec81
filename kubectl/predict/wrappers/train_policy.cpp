#include "kubectl/predict/wrappers/train_policy.hpp"

#include "kubectl/objects/quantity.hpp"
#include "kubectl/predict/expand/reading.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace tpuwh::server::wrappers {

namespace {

using expand::array_or_empty;
using expand::object_or_empty;

constexpr int port = 29500;
constexpr const char* index_path =
    "metadata.annotations['batch.kubernetes.io/job-completion-index']";

Json variable(const char* name, std::string value) {
  return {{"name", name}, {"value", std::move(value)}};
}

Json index_variable(const char* name) {
  Json out{{"name", name}};
  out["valueFrom"]["fieldRef"]["fieldPath"] = index_path;
  return out;
}

PodSet* find(std::vector<PodSet>& pods, std::string PodSet::*member, std::string_view value) {
  const auto found =
      std::ranges::find_if(pods, [&](const PodSet& each) { return each.*member == value; });
  return found == pods.end() ? nullptr : &*found;
}

void take_nodes(const Training& training, PodSet* pods, std::uint64_t less = 0) {
  const Json* nodes = text::find_member(training.trainer(), "numNodes");
  if (pods == nullptr || nodes == nullptr) return;
  const std::uint64_t count = expand::count_or(training.trainer(), "numNodes", 1);
  pods->count = less == 0 ? count : std::max<std::uint64_t>(count > less ? count - less : 0, 1);
  pods->count_at = less == 0 ? "/spec/trainer/numNodes" : "";
  pods->count_of_runtime = false;
}

// The container that the trainer's fields are for; null also where the TrainJob has no trainer.
Json* container_to_set(const Training& training, PodSet* pods) {
  return pods == nullptr || !training.has_trainer() ? nullptr
                                                    : container_of(*pods, trainer_container);
}

std::string first_node(const Training& training) {
  return fmt::format("{0}-{1}-0-0.{0}", training.name, trainer_container);
}

void add_own_env(const Training& training, Json& container) {
  for (const Json& each : array_or_empty(training.trainer(), "env")) upsert_env(container, each);
}

// Of a container: what the TrainJob asks for a node, else what the runtime does.
const Json& resources_of(const Training& training, const Json& container) {
  const Json* own = text::find_member(training.trainer(), "resourcesPerNode");
  return own != nullptr ? *own : object_or_empty(container, "resources");
}

std::int64_t gpus_in(const Json& list) {
  for (const auto& [name, amount] : list.items()) {
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto quantity = objects::quantity_of(&amount);
    if (lower.find("gpu") != std::string::npos) return quantity ? quantity->rounded_up : 0;
  }
  return 0;
}

std::int64_t gpus_of(const Json& resources) {
  const std::int64_t requested = gpus_in(object_or_empty(resources, "requests"));
  return requested != 0 ? requested : gpus_in(object_or_empty(resources, "limits"));
}

std::int64_t cpus_of(const Json& resources) {
  for (const char* list : {"requests", "limits"}) {
    const auto quantity =
        objects::quantity_of(text::find_member(object_or_empty(resources, list), "cpu"));
    if (quantity && quantity->rounded_up > 0) return quantity->rounded_up;
  }
  return 0;
}

std::string torch_processes(const Training& training, const Json& container) {
  if (const auto own = expand::number(training.trainer(), "numProcPerNode"))
    return std::to_string(*own);
  const Json& resources = resources_of(training, container);
  if (gpus_of(resources) != 0) return "auto";
  return std::to_string(std::max<std::int64_t>(1, cpus_of(resources)));
}

void enforce_plain(const Training& training, std::vector<PodSet>& pods) {
  PodSet* trainer = find(pods, &PodSet::ancestor, "trainer");
  take_nodes(training, trainer);
  if (Json* container = container_to_set(training, trainer)) add_own_env(training, *container);
}

void enforce_jax(const Training& training, std::vector<PodSet>& pods) {
  PodSet* trainer = find(pods, &PodSet::ancestor, "trainer");
  take_nodes(training, trainer);
  Json* container = container_to_set(training, trainer);
  if (container == nullptr) return;
  upsert_env(*container, variable("JAX_NUM_PROCESSES", std::to_string(trainer->count)));
  upsert_env(*container, index_variable("JAX_PROCESS_ID"));
  upsert_env(*container,
             variable("JAX_COORDINATOR_ADDRESS", fmt::format("{}:{}", first_node(training), port)));
  upsert_port(*container, {{"containerPort", port}});
}

bool is_torchtune(const Training& training) {
  return array_or_empty(training.trainer(), "command") == Json{"tune", "run"};
}

void enforce_torch(const Training& training, std::vector<PodSet>& pods) {
  PodSet* trainer = find(pods, &PodSet::ancestor, "trainer");
  take_nodes(training, trainer);
  Json* container = container_to_set(training, trainer);
  if (container == nullptr) return;
  const std::string processes = torch_processes(training, *container);
  add_own_env(training, *container);
  upsert_env(*container, variable("PET_NNODES", std::to_string(trainer->count)));
  upsert_env(*container, variable("PET_NPROC_PER_NODE", processes));
  upsert_env(*container, index_variable("PET_NODE_RANK"));
  if (!is_torchtune(training)) {
    upsert_env(*container, variable("PET_MASTER_ADDR", first_node(training)));
    upsert_env(*container, variable("PET_MASTER_PORT", std::to_string(port)));
  }
  upsert_port(*container, {{"containerPort", port}});
}

// source: mpi.go; a runtime's numProcPerNode of 1 gives way to the GPUs of a node.
std::uint64_t mpi_slots(const Training& training, std::vector<PodSet>& pods) {
  if (const auto own = expand::number(training.trainer(), "numProcPerNode")) return *own;
  const std::uint64_t slots =
      expand::count_or(object_or_empty(training.policy(), "mpi"), "numProcPerNode", 1);
  PodSet* node = find(pods, &PodSet::name, trainer_container);
  if (node == nullptr) node = find(pods, &PodSet::ancestor, "trainer");
  const Json* container = node == nullptr ? nullptr : container_of(*node, trainer_container);
  static const Json none = Json::object();
  const Json& resources = resources_of(training, container == nullptr ? none : *container);
  const std::int64_t gpus = slots == 1 ? gpus_of(resources) : 0;
  return gpus > 1 ? static_cast<std::uint64_t>(gpus) : slots;
}

void enforce_mpi(const Training& training, std::vector<PodSet>& pods) {
  const bool launcher_is_node =
      expand::flag_or(object_or_empty(training.policy(), "mpi"), "runLauncherAsNode", false);
  take_nodes(training, find(pods, &PodSet::name, trainer_container), launcher_is_node ? 1 : 0);
  const std::string slots = std::to_string(mpi_slots(training, pods));
  PodSet* launcher = find(pods, &PodSet::name, "launcher");
  Json* container = launcher == nullptr ? nullptr : container_of(*launcher, trainer_container);
  if (container == nullptr) return;
  upsert_env(*container, variable("OMPI_MCA_orte_default_hostfile", "/etc/mpi/hostfile"));
  upsert_env(*container, variable("OMPI_MCA_orte_keep_fqdn_hostnames", "true"));
  upsert_env(*container, variable("OMPI_MCA_orte_set_default_slots", slots));
  upsert_env(*container, variable("OMPI_MCA_plm_rsh_args", "-o ConnectionAttempts=10"));
}

}  // namespace

const Json& Training::trainer() const {
  return object_or_empty(spec, "trainer");
}

const Json& Training::policy() const {
  return object_or_empty(runtime, "mlPolicy");
}

bool Training::has_trainer() const {
  return spec.contains("trainer");
}

Json* container_of(PodSet& pods, const std::string& name) {
  Json& containers = (*pods.job)["template"]["spec"]["template"]["spec"]["containers"];
  const auto found = std::ranges::find_if(
      containers, [&](const Json& each) { return text::text_member(each, "name") == name; });
  return found == containers.end() ? nullptr : &*found;
}

void upsert_env(Json& container, Json entry) {
  Json& env = container["env"];
  if (!env.is_array()) env = Json::array();
  const std::string name = text::text_member(entry, "name");
  const auto found = std::ranges::find_if(
      env, [&](const Json& each) { return text::text_member(each, "name") == name; });
  if (found == env.end())
    env.push_back(std::move(entry));
  else
    *found = std::move(entry);
}

// Ports without a name have the same name (pkg/apply/apply.go, byContainerPortOrName).
void upsert_port(Json& container, Json port) {
  Json& ports = container["ports"];
  if (!ports.is_array()) ports = Json::array();
  const auto found = std::ranges::find_if(ports, [&](const Json& each) {
    return text::member(each, "containerPort") == text::member(port, "containerPort") ||
           text::text_member(each, "name") == text::text_member(port, "name");
  });
  if (found == ports.end())
    ports.push_back(std::move(port));
  else
    *found = std::move(port);
}

void enforce_policy(const Training& training, std::vector<PodSet>& pods) {
  const Json& policy = training.policy();
  if (policy.contains("jax")) return enforce_jax(training, pods);
  if (policy.contains("torch")) return enforce_torch(training, pods);
  if (policy.contains("mpi")) return enforce_mpi(training, pods);
  enforce_plain(training, pods);
}

}  // namespace tpuwh::server::wrappers
