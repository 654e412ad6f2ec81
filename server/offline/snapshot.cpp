#include "server/offline/snapshot.hpp"

#include "server/offline/json_text.hpp"
#include "webhook/names.hpp"
#include "webhook/token.hpp"

#include <algorithm>
#include <vector>

namespace tpuwh::server {

namespace {

using Json = nlohmann::ordered_json;
using topology::Place;

std::string label(const Json& object, const char* key) {
  return text_member(member(member(object, "metadata"), "labels"), key);
}

std::uint32_t number_member(const Json& object, const char* key, std::uint32_t otherwise) {
  const Json value = member(object, key);
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= 0xffffffffu
             ? value.get<std::uint32_t>()
             : otherwise;
}

// What KubeRay makes of the numbers, which need not agree.
std::uint32_t desired_replicas(const Json& group) {
  constexpr std::uint32_t unbounded = 0xffffffffu;
  if (member(group, "suspend") == true) return 0;
  const std::uint32_t least = number_member(group, "minReplicas", 0);
  const std::uint32_t most = number_member(group, "maxReplicas", unbounded);
  return std::min(std::max(number_member(group, "replicas", least), least), most);
}

bool has_ended(const Json& pod) {
  const std::string phase = text_member(member(pod, "status"), "phase");
  return phase == "Succeeded" || phase == "Failed";
}

Json owner_of(const Json& pod) {
  const Json owners = member(member(pod, "metadata"), "ownerReferences");
  if (!owners.is_array()) return nullptr;
  for (const Json& owner : owners)
    if (member(owner, "controller") == true) return owner;
  return nullptr;
}

// The last literal entry, as the kubelet reads it.
std::string env_of(const Json& container, std::string_view name) {
  std::string value;
  const Json env = member(container, "env");
  if (!env.is_array()) return value;
  for (const Json& entry : env)
    if (text_member(entry, "name") == name) value = text_member(entry, "value");
  return value;
}

// One request: resource.k8s.io/v1 has the fields under "exactly", v1beta1 beside the name.
// Nothing where it asks for all devices there are, or one of several kinds.
std::optional<std::uint32_t> chips_of_request(const Json& request) {
  if (!member(request, "firstAvailable").is_null()) return std::nullopt;
  const Json exactly = member(request, "exactly");
  const Json& wanted = exactly.is_object() ? exactly : request;
  if (text_member(wanted, "deviceClassName") != "tpu.google.com") return 0;
  if (text_member(wanted, "allocationMode") == "All") return std::nullopt;
  return number_member(wanted, "count", 1);
}

std::optional<std::uint32_t> chips_of_template(const Json& object) {
  const Json requests =
      member(member(member(member(object, "spec"), "spec"), "devices"), "requests");
  std::uint32_t chips = 0;
  if (!requests.is_array()) return chips;
  for (const Json& request : requests) {
    const auto more = chips_of_request(request);
    if (!more) return std::nullopt;
    chips += *more;
  }
  return chips;
}

// KubeRay's own labels; a single-host replica has no host index.
std::optional<Place> indexed_place(const Json& pod) {
  const auto slice = webhook::plain_decimal(label(pod, "ray.io/worker-group-replica-index"));
  const std::string host_text = label(pod, "ray.io/replica-host-index");
  const auto host = webhook::plain_decimal(host_text.empty() ? "0" : host_text);
  if (!slice || !host) return std::nullopt;
  return Place{*slice, *host};
}

// The KubeRay webhook's: replicaIndex "<group>-<slice>", and TPU_WORKER_ID, which counts
// the processes where a host has several.
std::optional<Place> another_injectors_place(const Json& pod, const std::string& group) {
  const std::string replica = label(pod, "replicaIndex");
  if (!replica.starts_with(group + "-")) return std::nullopt;
  const auto slice = webhook::plain_decimal(std::string_view(replica).substr(group.size() + 1));
  const Json containers = member(member(pod, "spec"), "containers");
  if (!slice || !containers.is_array()) return std::nullopt;
  std::uint32_t processes = 0;
  std::optional<std::uint32_t> first_id;
  for (const Json& container : containers) {
    const Json resources = member(container, "resources");
    const bool tpu = !member(member(resources, "requests"), "google.com/tpu").is_null() ||
                     !member(member(resources, "limits"), "google.com/tpu").is_null();
    if (!tpu) continue;
    if (processes++ == 0) first_id = webhook::plain_decimal(env_of(container, "TPU_WORKER_ID"));
  }
  if (!first_id) return std::nullopt;
  return Place{*slice, *first_id / processes};
}

}  // namespace

std::optional<Place> place_of_ray_worker(const Json& pod) {
  if (const auto place = indexed_place(pod)) return place;
  if (const auto place = webhook::place_of_token(label(pod, "tpu-webhook.dev/token"))) return place;
  return another_injectors_place(pod, label(pod, "ray.io/group"));
}

void Snapshot::read_pod(const Json& pod) {
  if (label(pod, "ray.io/node-type") != "worker" || has_ended(pod)) return;
  const Json metadata = member(pod, "metadata");
  Worker worker{.ns = text_member(metadata, "namespace"),
                .cluster = label(pod, "ray.io/cluster"),
                .cluster_uid = text_member(owner_of(pod), "uid"),
                .group = label(pod, "ray.io/group"),
                .token = label(pod, "tpu-webhook.dev/token"),
                .place = {}};
  const auto place = place_of_ray_worker(pod);
  if (!place) return;
  worker.place = *place;
  workers_.push_back(std::move(worker));
}

void Snapshot::add(const Json& object) {
  const std::string kind = text_member(object, "kind");
  const Json metadata = member(object, "metadata");
  const Name name{text_member(metadata, "namespace"), text_member(metadata, "name")};
  if (kind == "Pod") {
    read_pod(object);
  } else if (kind == "Service") {
    const std::string cluster = label(object, "ray.io/headless-worker-svc");
    if (!cluster.empty()) services_[{name.first, cluster}] = name.second;
  } else if (kind == "ResourceClaimTemplate") {
    claim_templates_[name] = chips_of_template(object);
  } else if (kind == "RayCluster") {
    const Json groups = member(member(object, "spec"), "workerGroupSpecs");
    if (!groups.is_array()) return;
    for (const Json& group : groups)
      groups_[name][text_member(group, "groupName")] = {number_member(group, "numOfHosts", 1),
                                                        desired_replicas(group)};
  }
}

Result<Snapshot> Snapshot::parse(std::string_view text) {
  const bool whole = !json_fault(text);
  const Json root = whole ? Json::parse(text, nullptr, false) : Json();
  if (!whole || root.is_discarded())
    return Error(Errc::bad_json,
                 "not JSON; make it with kubectl get pods,nodes,services -A -o json");
  if (!root.is_object() || text_member(root, "kind").empty())
    return Error(Errc::wrong_type, "expected a List of Kubernetes objects, found " +
                                       std::string(root.type_name()) +
                                       (root.is_object() ? " without kind" : ""));
  Snapshot snapshot;
  const Json items = member(root, "items");
  if (!items.is_array()) {
    snapshot.add(root);
    return snapshot;
  }
  for (const Json& item : items) snapshot.add(item);
  return snapshot;
}

std::optional<std::string> Snapshot::ray_headless_service(std::string_view ns,
                                                          std::string_view cluster) const {
  const auto found = services_.find({std::string(ns), std::string(cluster)});
  if (found == services_.end()) return std::nullopt;
  return found->second;
}

std::optional<webhook::RayGroup> Snapshot::ray_group(std::string_view ns, std::string_view cluster,
                                                     std::string_view group) const {
  const auto found = groups_.find({std::string(ns), std::string(cluster)});
  if (found == groups_.end()) return std::nullopt;
  const auto in_cluster = found->second.find(group);
  if (in_cluster == found->second.end()) return std::nullopt;
  return in_cluster->second;
}

std::optional<std::uint32_t> Snapshot::claimed_chips(std::string_view ns,
                                                     std::string_view template_name) const {
  const auto found = claim_templates_.find({std::string(ns), std::string(template_name)});
  return found == claim_templates_.end() ? std::nullopt : found->second;
}

void Snapshot::tell(webhook::Ledger& ledger) const {
  for (const Worker& worker : workers_) {
    const auto group = ray_group(worker.ns, worker.cluster, worker.group);
    ledger.note({.ns = worker.ns,
                 .cluster = worker.cluster,
                 .cluster_uid = worker.cluster_uid,
                 .group = worker.group,
                 .size = {group ? group->hosts : 0, 0},
                 .token = worker.token},
                worker.place);
  }
}

}  // namespace tpuwh::server
