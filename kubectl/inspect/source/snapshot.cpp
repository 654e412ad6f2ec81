#include "kubectl/inspect/source/snapshot.hpp"

#include "base/result.hpp"
#include "server/text/json_text.hpp"
#include "webhook/read/body.hpp"

namespace tpuwh::server::source {

namespace {

// Nothing for kinds that a store does not keep.
std::optional<kube::store::Kind> stored_kind(std::string_view kind) {
  if (kind == "Pod") return kube::store::Kind::pod;
  if (kind == "Node") return kube::store::Kind::node;
  if (kind == "Service") return kube::store::Kind::service;
  if (kind == "RayCluster") return kube::store::Kind::ray_cluster;
  if (kind == "ResourceClaim") return kube::store::Kind::claim;
  if (kind == "ResourceClaimTemplate") return kube::store::Kind::claim_template;
  if (kind == "DeviceClass") return kube::store::Kind::device_class;
  return std::nullopt;
}

// A file that somebody wrote may lack uids.
std::string text_with_uid(const Json& object, std::size_t number) {
  const Json& metadata = text::member(object, "metadata");
  if (!metadata.is_object() || !text::text_member(metadata, "uid").empty())
    return text::dump_or_throw(object);
  Json named = object;
  named["metadata"]["uid"] = "object " + std::to_string(number);
  return text::dump_or_throw(named);
}

}  // namespace

std::optional<topology::Place> place_of_ray_worker(const Json& pod) {
  kube::store::ObjectReader reader{std::string(default_prefix)};
  std::string json = text_with_uid(pod, 0);
  const auto read = reader.pod(webhook::read::Body(json).bytes());
  return read && read->ray ? read->ray->place : std::nullopt;
}

std::optional<webhook::pools::Node> node_of(const Json& node) {
  std::string json = text::dump_or_throw(node);
  return kube::store::ObjectReader{std::string(default_prefix)}.node(
      webhook::read::Body(json).bytes());
}

Snapshot::Snapshot(std::string_view prefix)
    : store_(std::make_unique<kube::store::Store>(std::string(prefix))) {
  store_->trust_pools(true);
}

void Snapshot::add(const Json& object) {
  const std::string kind = text::text_member(object, "kind");
  if (const auto stored = stored_kind(kind)) {
    std::string json = text_with_uid(object, ++objects_);
    return store_->upsert(*stored, webhook::read::Body(json).bytes());
  }
}

Result<Snapshot> Snapshot::parse(std::string_view text, std::string_view prefix) {
  const bool whole = !text::json_fault(text);
  const Json root = whole ? text::parse_or_discard(text) : Json();
  if (!whole || root.is_discarded())
    return Error(base::Errc::bad_json,
                 "not JSON; create it with kubectl get pods,nodes,services -A -o json");
  if (!root.is_object() || text::text_member(root, "kind").empty())
    return Error(base::Errc::wrong_type, "expected a List of Kubernetes objects, got " +
                                             std::string(root.type_name()) +
                                             (root.is_object() ? " without kind" : ""));
  Snapshot snapshot(prefix);
  const Json& items = text::member(root, "items");
  if (!items.is_array()) {
    snapshot.add(root);
    return snapshot;
  }
  for (const Json& item : items) snapshot.add(item);
  return snapshot;
}

std::optional<std::string> Snapshot::ray_headless_service(std::string_view ns,
                                                          std::string_view cluster) const {
  return store_->ray_headless_service(ns, cluster);
}

std::optional<webhook::read::RayGroup> Snapshot::ray_group(std::string_view ns,
                                                           std::string_view cluster,
                                                           std::string_view group) const {
  return store_->ray_group(ns, cluster, group);
}

std::optional<std::string> Snapshot::leader_domain(const webhook::read::JobOfJobSet& job,
                                                   std::string_view topology_key) const {
  return store_->leader_domain(job, topology_key);
}

void Snapshot::unfit_pools(const webhook::read::PoolQuestion& question, base::NameList& out) const {
  store_->unfit_pools(question, out);
}

webhook::read::Claimed Snapshot::claimed(const webhook::read::ClaimSource& source) const {
  return store_->claimed(source);
}

void Snapshot::seed(webhook::ledger::Ledger& ledger) const {
  for (const auto& [name, pods] : store_->ray_groups()) {
    const auto group = ray_group(name.ns, name.cluster, name.group);
    for (const auto& [uid, pod] : pods) {
      if (!pod.place) continue;
      ledger.note({.ns = name.ns,
                   .cluster = name.cluster,
                   .cluster_uid = name.cluster_uid,
                   .group = name.group,
                   .size = {.hosts_per_slice = group ? group->hosts : 0},
                   .token = pod.token},
                  *pod.place);
    }
  }
}

}  // namespace tpuwh::server::source
