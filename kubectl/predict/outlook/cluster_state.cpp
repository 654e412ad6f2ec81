#include "kubectl/predict/outlook/cluster_state.hpp"

#include "kubectl/inspect/slices/cluster_reader.hpp"
#include "kubectl/predict/outlook/queue_objects.hpp"
#include "server/text/json_text.hpp"

#include <utility>

namespace tpuwh::server::outlook {

namespace {

Tenant tenant_of(const slices::SeenPod& pod) {
  slices::ObjectName workload = slices::topmost_of(pod);
  return {.kind = std::move(workload.kind),
          .ns = pod.ns,
          .group = std::move(workload.name),
          .owners = pod.owners,
          .slice = pod.slice,
          .pod = pod.name,
          .hosts = pod.hosts,
          .chips = pod.chips,
          .leaving = pod.terminating};
}

// One that is being deleted has its chips until it is gone.
void add_tenants(const slices::Cluster& cluster, ClusterState& state) {
  for (const slices::SeenPod& pod : cluster.pods) {
    if (!pod.live() || pod.node.empty() || pod.chips == 0) continue;
    state.tenants[pod.node].push_back(tenant_of(pod));
    state.pools.hold(pod.node, {.chips = pod.chips});
  }
}

void take_knowledge(const source::ObjectSource& source, ClusterState& state) {
  const auto knows = [&](std::string_view kind, const auto& kept) {
    return source.listed(kind) || !kept.empty();
  };
  state.has_kueue = source.served("LocalQueue");
  state.knows_local_queues = knows("LocalQueue", state.local_queues);
  state.knows_cluster_queues = knows("ClusterQueue", state.cluster_queues);
  state.knows_flavors = knows("ResourceFlavor", state.flavors);
  state.knows_compute_classes = knows("ComputeClass", state.compute_classes);
}

}  // namespace

Result<ClusterState> read_cluster_state(source::ObjectSource& source,
                                        const webhook::config::Config& config,
                                        const source::ObjectSource::Each& also) {
  ClusterState state;
  state.prefix = config.prefix;
  auto cluster =
      slices::read_cluster(source, config, [&](std::string_view kind, const Json& object) {
        keep(kind, object, state);
        if (also) also(kind, object);
      });
  if (!cluster) return cluster.error();
  state.slices = standing_slices(*cluster);
  state.driven = std::move(cluster->driven);
  state.knows_nodes = cluster->knows_nodes();
  for (auto& [name, node] : cluster->nodes) {
    if (node.pool().empty())
      ++state.without_pool[{std::string(node.labels.value(webhook::read::key::accelerator)),
                            std::string(node.labels.value(webhook::read::key::topology))}];
    state.pools.put(std::move(node));
  }
  add_tenants(*cluster, state);
  for (const auto& [name, service] : cluster->services) state.services[name] = service.headless;
  state.knows_services = cluster->knows_services();
  state.not_known = std::move(cluster->unreadable);
  take_knowledge(source, state);
  return state;
}

void add_planned(ClusterState& state, const Json& object, const std::string& ns) {
  if (!object.is_object()) return;
  Json named = object;
  Json& metadata = named["metadata"];
  if (!metadata.is_object()) return;
  if (text::text_member(metadata, "namespace").empty()) metadata["namespace"] = ns;
  const std::string kind = text::text_member(named, "kind");
  ClusterState planned;
  keep(kind, named, planned);
  if (kind == "Service")
    planned
        .services[{text::text_member(metadata, "namespace"), text::text_member(metadata, "name")}] =
        text::text_member(text::member(named, "spec"), "clusterIP") == "None";
  state.services.merge(planned.services);
  state.local_queues.merge(planned.local_queues);
  state.cluster_queues.merge(planned.cluster_queues);
  state.flavors.merge(planned.flavors);
  state.compute_classes.merge(planned.compute_classes);
}

}  // namespace tpuwh::server::outlook
