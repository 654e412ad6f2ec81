#include "kubectl/predict/expand/ray.hpp"

#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/predict/expand/child.hpp"
#include "kubectl/predict/expand/placeholder.hpp"
#include "kubectl/predict/expand/ray_services.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <string>

namespace tpuwh::server::expand {

namespace {

controllers::Replicas size_of(const Json& group, bool autoscaled) {
  return controllers::ray_replicas({.replicas = number(group, "replicas"),
                                    .least = number(group, "minReplicas"),
                                    .most = number(group, "maxReplicas"),
                                    .hosts = {},
                                    .suspended = flag_or(group, "suspend", false),
                                    .autoscaled = autoscaled});
}

std::uint64_t replicas_of_group(const Json& group) {
  return size_of(group, false).now;
}

std::uint64_t hosts_of(const Json& group) {
  return controllers::ray_hosts({.hosts = number(group, "numOfHosts")});
}

Result<void> check_group(const Json& group, const std::string& path) {
  if (auto good = check_members(group,
                                {{"rayStartParams", Shape::string_map},
                                 {"resources", Shape::string_map},
                                 {"labels", Shape::string_map},
                                 {"headService", Shape::object},
                                 {"suspend", Shape::boolean}},
                                path);
      !good)
    return good;
  if (auto good =
          check_counts(group, {"replicas", "minReplicas", "maxReplicas", "numOfHosts"}, path);
      !good)
    return good;
  if (auto pod = need_template(group, "template", path); !pod) return pod.error();
  return {};
}

Result<void> check_worker_groups(const Json& spec, const std::string& path) {
  std::size_t number = 0;
  for (const Json& group : array_or_empty(spec, "workerGroupSpecs")) {
    const std::string here = fmt::format("{}[{}]", below(path, "workerGroupSpecs"), number++);
    if (auto name = need_text(group, "groupName", here); !name) return name.error();
    if (auto good = check_group(group, here); !good) return good;
  }
  return {};
}

Result<void> check_cluster_spec(const Json& spec, const std::string& path) {
  if (auto good = check_members(spec,
                                {{"workerGroupSpecs", Shape::objects},
                                 {"enableInTreeAutoscaling", Shape::boolean},
                                 {"autoscalerOptions", Shape::object},
                                 {"gcsFaultToleranceOptions", Shape::object},
                                 {"authOptions", Shape::object}},
                                path);
      !good)
    return good;
  if (auto good = check_members(
          object_or_empty(spec, "autoscalerOptions"),
          {{"env", Shape::objects}, {"envFrom", Shape::objects}, {"volumeMounts", Shape::objects}},
          below(path, "autoscalerOptions"));
      !good)
    return good;
  if (auto good =
          check_members(object_or_empty(spec, "gcsFaultToleranceOptions"),
                        {{"redisUsername", Shape::object}, {"redisPassword", Shape::object}},
                        below(path, "gcsFaultToleranceOptions"));
      !good)
    return good;
  const Result<const Json*> head = need_object(spec, "headGroupSpec", path);
  if (!head) return head.error();
  if (auto good = check_group(**head, below(path, "headGroupSpec")); !good) return good;
  return check_worker_groups(spec, path);
}

// KubeRay names a replica of several hosts at random; its index stands in a label of its own.
void set_indices(Json& pod, const RayCluster& cluster, const Json& group, std::uint64_t replica,
                 std::uint64_t host) {
  set_label(pod, objects::key_of(webhook::read::Label::ray_replica_index), std::to_string(replica));
  if (hosts_of(group) <= 1) return;
  const std::string name = text::text_member(group, "groupName");
  const std::string id = fmt::format("{}/{}/{}", cluster.self.name, name, replica);
  set_label(pod, objects::key_of(webhook::read::Label::ray_replica_name),
            fmt::format("{}-{}", name, suffix_of("replica", cluster.self.ns, id, 5)));
  set_label(pod, objects::key_of(webhook::read::Label::ray_host_index), std::to_string(host));
}

bool visit_ray_group(const RayCluster& cluster, const Json& group, const ExpandOptions& options,
                     const Visit& visit) {
  Json pod = worker_pod(cluster, group);
  const std::uint64_t replicas = shown(replicas_of_group(group), options);
  const std::uint64_t hosts = shown(hosts_of(group), options);
  for (std::uint64_t replica = 0; replica < replicas; ++replica) {
    for (std::uint64_t host = 0; host < hosts; ++host) {
      if (options.ray_indices) set_indices(pod, cluster, group, replica, host);
      if (!visit(pod)) return false;
    }
  }
  return true;
}

RayCluster cluster_of_input(const Parent& object) {
  const Json& metadata = object.object["metadata"];
  RayCluster out{object.self, object_or_empty(metadata, "annotations"), object.spec, "RayCluster"};
  const std::string creator =
      text::text_member(object_or_empty(metadata, "labels"), objects::key::ray_originated_from);
  if (creator == "RayJob" || creator == "RayService") out.creator = creator;
  return out;
}

void add_children(const RayCluster& cluster, Children& out) {
  add_cluster_services(cluster, out);
  if (flag_or(cluster.spec, "enableInTreeAutoscaling", false))
    out.others.insert(out.others.end(), {"ServiceAccount", "Role", "RoleBinding"});
  if (flag_or(object_or_empty(cluster.spec, "headGroupSpec"), "enableIngress", false))
    out.others.emplace_back("Ingress");
  const Json& auth = object_or_empty(cluster.spec, "authOptions");
  if (text::text_member(auth, "mode") == "token" && text::text_member(auth, "secretName").empty())
    out.others.emplace_back("Secret");
}

}  // namespace

std::uint64_t count_cluster_spec(const Json& spec) {
  std::uint64_t out = 1;
  for (const Json& group : array_or_empty(spec, "workerGroupSpecs"))
    out = add_up(out, multiply(replicas_of_group(group), hosts_of(group)));
  return out;
}

const Json* ray_cluster_spec(const Json& object) {
  const std::string kind = text::text_member(object, "kind");
  const Json& spec = object_or_empty(object, "spec");
  if (kind == "RayCluster") return &spec;
  if (kind == "RayJob") return &object_or_empty(spec, "rayClusterSpec");
  if (kind == "RayService") return &object_or_empty(spec, "rayClusterConfig");
  return nullptr;
}

std::optional<PodRange> worker_range(const Json& spec) {
  if (!flag_or(spec, "enableInTreeAutoscaling", false)) return std::nullopt;
  PodRange out;
  for (const Json& group : array_or_empty(spec, "workerGroupSpecs")) {
    const controllers::Replicas size = size_of(group, true);
    out.least = add_up(out.least, multiply(size.least, hosts_of(group)));
    out.most = add_up(out.most, multiply(size.most, hosts_of(group)));
    out.bounded = out.bounded && number(group, "maxReplicas");
  }
  return out;
}

std::string cluster_name_of(const Owner& owner) {
  return fmt::format("{}-{}", owner.name, suffix_of(owner.kind, owner.ns, owner.name, 5));
}

Result<RayCluster> read_cluster(const Parent& maker, const char* key) {
  const auto& [object, owner, spec] = maker;
  const Result<const Json*> cluster = need_object(spec, key, "spec");
  if (!cluster) return cluster.error();
  if (auto good = check_cluster_spec(**cluster, below("spec", key)); !good) return good.error();
  return RayCluster{{owner.api_version, "RayCluster", owner.ns, cluster_name_of(owner)},
                    object_or_empty(object_or_empty(object, "metadata"), "annotations"),
                    **cluster,
                    owner.kind};
}

bool visit_cluster(const RayCluster& cluster, const ExpandOptions& options, const Visit& visit) {
  if (!visit(head_pod(cluster))) return false;
  for (const Json& group : array_or_empty(cluster.spec, "workerGroupSpecs"))
    if (!visit_ray_group(cluster, group, options, visit)) return false;
  return true;
}

std::uint64_t count_ray_cluster(const Json& cluster) {
  return count_cluster_spec(object_or_empty(cluster, "spec"));
}

Result<void> expand_ray_cluster(const Parent& object, const ExpandOptions& options,
                                const Visit& visit) {
  if (auto good = check_cluster_spec(object.spec, "spec"); !good) return good;
  visit_cluster(cluster_of_input(object), options, visit);
  return {};
}

Result<Children> children_of_ray_cluster(const Parent& object) {
  if (auto good = check_cluster_spec(object.spec, "spec"); !good) return good.error();
  Children out;
  add_children(cluster_of_input(object), out);
  return out;
}

void add_made_cluster(const RayCluster& cluster, const Parent& maker, Children& out) {
  Json made = begin_child(cluster.self, maker.self, maker.object["metadata"]);
  label_origin(made, maker.self);
  made["spec"] = cluster.spec;
  out.list.push_back({.object = std::move(made)});
  add_children(cluster, out);
}

std::uint64_t count_ray_service(const Json& service) {
  return count_cluster_spec(object_or_empty(object_or_empty(service, "spec"), "rayClusterConfig"));
}

Result<void> expand_ray_service(const Parent& service, const ExpandOptions& options,
                                const Visit& visit) {
  const Result<RayCluster> cluster = read_cluster(service, "rayClusterConfig");
  if (!cluster) return cluster.error();
  visit_cluster(*cluster, options, visit);
  return {};
}

Result<Children> children_of_ray_service(const Parent& service) {
  const Result<RayCluster> cluster = read_cluster(service, "rayClusterConfig");
  if (!cluster) return cluster.error();
  Children out;
  add_made_cluster(*cluster, service, out);
  Json& annotations = out.list.front().object["metadata"]["annotations"];
  annotations["ray.io/num-worker-groups"] =
      std::to_string(array_or_empty(cluster->spec, "workerGroupSpecs").size());
  annotations["ray.io/kuberay-version"] = kuberay_version;
  add_service_services(service.self, object_or_empty(service.spec, "serveService"), *cluster, out);
  return out;
}

}  // namespace tpuwh::server::expand
