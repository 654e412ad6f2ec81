#include "webhook/workloads/ray.hpp"

namespace tpuwh::webhook::workloads {

namespace {

bool claims(const read::Pod& pod) {
  return pod.label(read::Label::ray_node_type) == "worker" &&
         !pod.label(read::Label::ray_cluster).empty() && !pod.label(read::Label::ray_group).empty();
}

constexpr std::string_view cel = R"(labels[?'ray.io/node-type'].orValue('') == 'worker' &&
labels[?'ray.io/cluster'].orValue('') != '' &&
labels[?'ray.io/group'].orValue('') != '')";

// KubeRay up to 1.3 gave the Service a name of at most 50 characters: the last 50,
// with a first character that may not start a label replaced by 'r'.
// Source: docs/facts.md#kuberay-service.
void truncate(std::string& service) {
  constexpr std::size_t longest = 50;
  if (service.size() > longest) service.erase(0, service.size() - longest);
  if (service.front() < 'a' || service.front() > 'z') service.front() = 'r';
}

std::string_view service_name(const WorkloadContext& context, std::string_view cluster) {
  std::string& service = context.service;
  // As the cluster has it: which KubeRay runs is on no Pod, and its name depends on that.
  if (auto found = context.cluster.ray_headless_service(context.ns, cluster)) {
    service = std::move(*found);
    return service;
  }
  service.assign(cluster).append("-headless");
  if (context.config.kuberay_truncates_service_name) truncate(service);
  return service;
}

void identify(const WorkloadContext& context, Member& member) {
  const read::Pod& pod = context.pod;
  const auto replica_name = pod.label(read::Label::ray_replica_name);
  member.kind = "RayCluster";
  member.group = pod.label(read::Label::ray_cluster);
  member.part = pod.label(read::Label::ray_group);
  member.host = index_under(read::Label::ray_host_index, pod);
  member.slice = index_under(read::Label::ray_replica_index, pod);
  member.names = {member.part, {}, true};
  member.gives_names = true;
  member.subdomain = pod.subdomain.empty() ? service_name(context, member.group) : pod.subdomain;
  const std::string_view replica = replica_name.empty() ? member.slice.text : replica_name;
  if (pod.owner.uid.empty())
    member.set_key({context.ns, member.group, member.part, replica});
  else
    member.set_key({pod.owner.uid, member.part, replica});
  member.needs_place = !member.slice.present();
  member.slice_in_key = replica.empty();
}

constexpr ObjectKind objects[] = {
    {.group = "ray.io",
     .versions = {"v1", "v1alpha1"},
     .kind = "RayCluster",
     .resource = "rayclusters"},
    {.group = "ray.io",
     .versions = {"v1", "v1alpha1"},
     .kind = "RayJob",
     .resource = "rayjobs",
     .makes_pods = false},
    {.group = "ray.io",
     .versions = {"v1", "v1alpha1"},
     .kind = "RayService",
     .resource = "rayservices",
     .makes_pods = false},
};

}  // namespace

const Workload ray_workload{
    .name = "ray",
    .kind = config::WorkloadKind::ray,
    .claims = claims,
    .cel = cel,
    .label_key = read::spelled(read::Label::ray_node_type),
    .identify = identify,
    .host_from = "label ray.io/replica-host-index, else the ledger",
    .slice_from = "label ray.io/worker-group-replica-index, else the ledger",
    .service_by = "KubeRay",
    .part_is = "worker group",
    .name_label = read::spelled(read::Label::ray_cluster),
    .group_kind = "RayCluster",
    .objects = objects};

}  // namespace tpuwh::webhook::workloads
