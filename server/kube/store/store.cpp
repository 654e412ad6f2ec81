#include "server/kube/store/store.hpp"

#include "server/limits/limits.hpp"

#include <mutex>
#include <utility>

namespace tpuwh::server::kube::store {

using webhook::read::Claimed;

namespace {

template <class Map>
void erase_older(Map& map, std::uint32_t generation) {
  std::erase_if(map, [&](const auto& entry) { return entry.second.generation != generation; });
}

// One without chips may have had some, and have them again: its pool is not whole without it.
bool is_tpu_node(const webhook::pools::Node& node) {
  return node.chips > 0 || node.labels.find(webhook::read::key::accelerator).has_value();
}

}  // namespace

bool Store::is_fresh(Kind kind, TimePoint now) const {
  return synced(kind) && now - moved(kind) <= limits::api::stale;
}

void Store::begin_relist(Kind kind) {
  const std::unique_lock lock(mutex_);
  ++generations_[index(kind)];
}

void Store::end_relist(Kind kind) {
  const std::unique_lock lock(mutex_);
  synced_[index(kind)] = true;
  const Generation current = generation(kind);
  switch (kind) {
    case Kind::pod: {
      // A Pod that is missing in the list is only forgotten. The callback pod_gone_, which frees
      // the id of a Ray worker, is called only if an event reports that the Pod was deleted or has
      // ended (docs/decisions/0012).
      std::vector<std::string> vanished;
      for (const auto& [uid, entry] : pods_)
        if (entry.generation != current) vanished.push_back(uid);
      for (const std::string& uid : vanished) forget(uid);
      return;
    }
    case Kind::node:
      return pools_.remove_older(current);
    case Kind::service:
      for (auto each = services_.begin(); each != services_.end();) {
        const auto service = each++;
        if (service->second.generation != current) drop_service(service);
      }
      return;
    case Kind::ray_cluster:
      return erase_older(ray_clusters_, current);
    case Kind::claim:
    case Kind::claim_template:
      return erase_older(claims(kind == Kind::claim_template), current);
    case Kind::device_class:
      erase_older(device_classes_, current);
      return name_resources();
  }
}

void Store::upsert(Kind kind, std::string_view json) {
  if (kind == Kind::pod) return upsert_pod(json);
  if (kind == Kind::claim || kind == Kind::claim_template) return upsert_claim(kind, json);
  const Generation current = generation(kind);
  if (kind == Kind::node) {
    // Read before the lock is taken, as all objects are: reviews waited for a Node's JSON.
    auto node = reader_.node(json);
    if (!node) return;
    const std::unique_lock lock(mutex_);
    if (is_tpu_node(*node))
      pools_.put(std::move(*node), current);
    else
      pools_.remove(node->name);
  } else if (kind == Kind::service) {
    auto service = reader_.service(json);
    if (!service) return;
    const std::unique_lock lock(mutex_);
    put_service({std::move(service->ns), std::move(service->name)},
                {current, std::move(service->ray_cluster), !service->owned});
  } else if (kind == Kind::device_class) {
    auto found = reader_.device_class(json);
    if (!found) return;
    const std::unique_lock lock(mutex_);
    device_classes_[std::move(found->name)] = {current, std::move(found->selected),
                                               std::move(found->extended_resource)};
    name_resources();
  } else if (auto cluster = reader_.ray_cluster(json)) {
    const std::unique_lock lock(mutex_);
    ray_clusters_[{cluster->ns, cluster->name}] = {current, std::move(cluster->uid),
                                                   std::move(cluster->groups)};
  }
}

void Store::remove(Kind kind, std::string_view json) {
  if (kind == Kind::claim || kind == Kind::claim_template) return remove_claim(kind, json);
  if (kind == Kind::pod) {
    if (const auto pod = reader_.pod(json)) remove_pod(*pod);
  } else if (kind == Kind::node) {
    const auto node = reader_.node(json);
    const std::unique_lock lock(mutex_);
    if (node) pools_.remove(node->name);
  } else if (kind == Kind::service) {
    const auto service = reader_.service(json);
    const std::unique_lock lock(mutex_);
    if (service) put_service({service->ns, service->name}, {});
  } else if (kind == Kind::device_class) {
    const auto found = reader_.device_class(json);
    const std::unique_lock lock(mutex_);
    if (found && device_classes_.erase(found->name) > 0) name_resources();
  } else {
    const auto cluster = reader_.ray_cluster(json);
    const std::unique_lock lock(mutex_);
    if (cluster) ray_clusters_.erase({cluster->ns, cluster->name});
  }
}

// --- Pods ---------------------------------------------------------------------------------

void Store::upsert_pod(std::string_view json) {
  auto pod = reader_.pod(json);
  if (!pod) return;
  if (pod->ended) return remove_pod(*pod);
  if (!kept_.ray_workers) pod->ray.reset();
  // A Pod that is being deleted does not count as the leader Pod of a Job.
  if (!kept_.leaders || pod->leaving) pod->leader.reset();
  if (!kept_.holders) pod->holding.reset();
  const std::unique_lock lock(mutex_);
  forget(pod->uid);
  if (pod->ray || pod->leader || pod->holding) keep(std::move(*pod));
}

// Also one that has ended: its place is free, whether or not the object stays.
void Store::remove_pod(const PodObject& pod) {
  {
    const std::unique_lock lock(mutex_);
    forget(pod.uid);
  }
  if (pod.ray && !pod.ray->token.empty() && pod_gone_) pod_gone_(pod.ray->group, pod.ray->token);
}

void Store::keep(PodObject pod) {
  PodEntry& entry = pods_[pod.uid];
  entry = {.generation = generation(Kind::pod)};
  if (pod.ray) {
    const auto group = groups_.try_emplace(std::move(pod.ray->group)).first;
    group->second[pod.uid] = {std::move(pod.ray->token), pod.ray->place, pod.leaving};
    entry.group = &group->first;
  }
  if (pod.leader) {
    const auto job = leaders_.try_emplace(std::move(pod.leader->job)).first;
    job->second[pod.uid] = {std::move(pod.leader->job_uid), std::move(pod.leader->node)};
    entry.job = &job->first;
  }
  if (pod.holding) {
    entry.host = &pools_.hold(pod.holding->node, pod.holding->holder);
    entry.holder = pod.holding->holder;
  }
}

void Store::forget(const std::string& uid) {
  const auto entry = pods_.find(uid);
  if (entry == pods_.end()) return;
  if (entry->second.group != nullptr) {
    const auto group = groups_.find(*entry->second.group);
    group->second.erase(uid);
    if (group->second.empty()) groups_.erase(group);
  }
  if (entry->second.job != nullptr) {
    const auto job = leaders_.find(*entry->second.job);
    job->second.erase(uid);
    if (job->second.empty()) leaders_.erase(job);
  }
  if (entry->second.host != nullptr) pools_.release(*entry->second.host, entry->second.holder);
  pods_.erase(entry);
}

// --- Services -----------------------------------------------------------------------------

// A Service that belongs to no RayCluster is not kept.
void Store::put_service(Name name, Service service) {
  const auto before = services_.find(name);
  if (before != services_.end()) drop_service(before);
  if (service.ray_cluster.empty()) return;
  services_of_[{name.first, service.ray_cluster}].emplace(service.foreign, name.second);
  services_[std::move(name)] = std::move(service);
}

void Store::drop_service(std::map<Name, Service>::iterator service) {
  const auto& [name, kept] = *service;
  const auto of = services_of_.find({name.first, kept.ray_cluster});
  of->second.erase({kept.foreign, name.second});
  if (of->second.empty()) services_of_.erase(of);
  services_.erase(service);
}

// --- Claims -------------------------------------------------------------------------------

void Store::upsert_claim(Kind kind, std::string_view json) {
  auto claim = kind == Kind::claim ? reader_.claim(json) : reader_.claim_template(json);
  // A claim that Kubernetes created from a template is not kept, because it is never looked up: its
  // Pod names the template and not the claim.
  if (!claim || claim->made) return;
  const bool depends = depends_on_classes(claim->spec);
  const std::unique_lock lock(mutex_);
  Claim& kept =
      claims(kind == Kind::claim_template)[{std::move(claim->ns), std::move(claim->name)}];
  kept = {
      .generation = generation(kind), .classes = class_changes_, .asked = understood(claim->spec)};
  if (depends) kept.spec = std::move(claim->spec);
}

void Store::remove_claim(Kind kind, std::string_view json) {
  const auto claim = kind == Kind::claim ? reader_.claim(json) : reader_.claim_template(json);
  const std::unique_lock lock(mutex_);
  if (claim) claims(kind == Kind::claim_template).erase({claim->ns, claim->name});
}

Claimed Store::understood(const ClaimSpec& spec) const {
  return store::asked_by(spec, [&](std::string_view name) {
    const auto found = device_classes_.find(name);
    return found == device_classes_.end() ? nullptr : &found->second.selected;
  });
}

// Computes the resources of all device classes. If two classes have the same resource name,
// Kubernetes may serve the resource by either class, so the resource counts as chips if one of the
// two classes has chips.
void Store::name_resources() {
  ++class_changes_;
  resources_.clear();
  ClaimSpec spec(1, {{}});
  for (const auto& [name, each] : device_classes_) {
    spec[0][0].device_class = name;
    const Claimed one = understood(spec);
    resources_[std::string(webhook::read::key::class_resource) + name] = one;
    if (each.extended_resource.empty()) continue;
    const auto [named, is_new] = resources_.try_emplace(each.extended_resource, one);
    if (!is_new && one.chips > 0) named->second = one;
  }
}

Claimed Store::asked_by(const ClaimSpec& spec) const {
  const std::shared_lock lock(mutex_);
  return understood(spec);
}

// --- What is asked ------------------------------------------------------------------------

std::optional<std::string> Store::ray_headless_service(std::string_view ns,
                                                       std::string_view cluster) const {
  const std::shared_lock lock(mutex_);
  const auto found = services_of_.find({std::string(ns), std::string(cluster)});
  // The Service that the RayCluster made comes first, because any other Service may have the label,
  // too.
  return found == services_of_.end() ? std::nullopt : std::optional(found->second.begin()->second);
}

std::optional<webhook::read::RayGroup> Store::ray_group(std::string_view ns,
                                                        std::string_view cluster,
                                                        std::string_view group) const {
  const std::shared_lock lock(mutex_);
  const auto found = ray_clusters_.find({std::string(ns), std::string(cluster)});
  if (found == ray_clusters_.end()) return std::nullopt;
  const auto known = found->second.groups.find(group);
  if (known == found->second.groups.end()) return std::nullopt;
  return known->second;
}

bool Store::has_ray_cluster(std::string_view ns, std::string_view cluster,
                            std::string_view uid) const {
  const std::shared_lock lock(mutex_);
  const auto found = ray_clusters_.find({std::string(ns), std::string(cluster)});
  return found != ray_clusters_.end() && found->second.uid == uid;
}

// JobSet's own lookup (docs/facts.md#jobset-exclusive-placement): of the leaders that live exactly
// one, and of the same Job.
std::optional<std::string> Store::leader_domain(const webhook::read::JobOfJobSet& job,
                                                std::string_view topology_key) const {
  const std::shared_lock lock(mutex_);
  const auto found = leaders_.find({std::string(job.ns), std::string(job.jobset),
                                    std::string(job.replicated_job), std::string(job.job_index)});
  if (found == leaders_.end()) return std::nullopt;
  if (found->second.size() != 1) return std::nullopt;
  const Leader& only = found->second.begin()->second;
  if (only.job_uid != job.job_uid || only.node.empty()) return std::nullopt;
  const webhook::pools::Node* node = pools_.find(only.node);
  const std::string_view domain =
      node == nullptr ? std::string_view() : node->labels.value(topology_key);
  if (domain.empty()) return std::nullopt;
  return std::string(domain);
}

Claimed Store::claimed(const webhook::read::ClaimSource& source) const {
  const std::unique_lock lock(mutex_);
  if (source.resource) {
    const auto named = resources_.find(source.name);
    return named == resources_.end() ? Claimed() : named->second;
  }
  Claims& all = claims(source.made);
  const auto found = all.find({std::string(source.ns), std::string(source.name)});
  if (found == all.end())
    return {.known = claims_may_be_read_ ? Claimed::Known::unread : Claimed::Known::no};
  Claim& claim = found->second;
  const bool is_current = std::exchange(claim.classes, class_changes_) == class_changes_;
  if (!is_current && !claim.spec.empty()) claim.asked = understood(claim.spec);
  return claim.asked;
}

void Store::unfit_pools(const webhook::read::PoolQuestion& question, base::NameList& out) const {
  out.clear();
  if (!pools_trusted_) return;
  const std::shared_lock lock(mutex_);
  pools_.unfit(question, out);
}

const webhook::ledger::GroupPods& Store::group_pods(const GroupName& group) const {
  static const webhook::ledger::GroupPods none;
  const auto found = groups_.find(group);
  return found == groups_.end() ? none : found->second;
}

std::size_t Store::size(Kind kind) const {
  const std::shared_lock lock(mutex_);
  switch (kind) {
    case Kind::pod:
      return pods_.size();
    case Kind::node:
      return pools_.size();
    case Kind::service:
      return services_.size();
    case Kind::ray_cluster:
      return ray_clusters_.size();
    case Kind::claim:
      return claims_.size();
    case Kind::claim_template:
      return claim_templates_.size();
    case Kind::device_class:
      return device_classes_.size();
  }
  return 0;
}

}  // namespace tpuwh::server::kube::store
