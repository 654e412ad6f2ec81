#include "server/explain/admission.hpp"

#include "server/explain/pod_json.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tpuwh::server::explain {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> held_as_objects{"Job",        "CronJob", "JobSet",
                                                          "RayCluster", "RayJob",  "RayService"};

bool is_held(const Json& object) {
  const std::string kind = text::text_member(object, "kind");
  return std::ranges::find(held_as_objects, kind) != held_as_objects.end();
}

}  // namespace

std::optional<Admission> admission_of(const Json& object, const std::string& ns,
                                      const outlook::ClusterState& cluster) {
  const std::string queue = label(object, "kueue.x-k8s.io/queue-name");
  if (queue.empty() || !is_held(object)) return std::nullopt;
  const auto local = cluster.local_queues.find({ns, queue});
  if (local == cluster.local_queues.end()) return std::nullopt;
  const auto of_cluster = cluster.cluster_queues.find(local->second.cluster_queue);
  if (of_cluster == cluster.cluster_queues.end() || of_cluster->second.flavors.empty())
    return std::nullopt;
  const std::string& name = of_cluster->second.flavors.front().flavor;
  const auto flavor = cluster.flavors.find(name);
  if (flavor == cluster.flavors.end() || flavor->second.labels.empty()) return std::nullopt;
  return Admission{queue, name, flavor->second.labels};
}

void admit(Json& pod, const Admission& admission) {
  Json& selectors = pod["spec"]["nodeSelector"];
  if (!selectors.is_object()) selectors = Json::object();
  for (const auto& [key, value] : admission.labels)
    if (!selectors.contains(key)) selectors[key] = value;
}

}  // namespace tpuwh::server::explain
