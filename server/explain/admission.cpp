#include "server/explain/admission.hpp"

#include "server/explain/pod_json.hpp"
#include "server/outlook/flavor_fit.hpp"
#include "server/outlook/pod_sets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tpuwh::server::explain {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* queue_label = "kueue.x-k8s.io/queue-name";

constexpr std::array<std::string_view, 6> held_as_objects{"Job",        "CronJob", "JobSet",
                                                          "RayCluster", "RayJob",  "RayService"};

bool is_held(const Json& object) {
  const std::string kind = text::text_member(object, "kind");
  return std::ranges::find(held_as_objects, kind) != held_as_objects.end();
}

// Null where no queue is named or known.
const outlook::ClusterQueue* queue_of(const Json& object, const std::string& ns,
                                      const outlook::ClusterState& cluster) {
  const std::string queue = label(object, queue_label);
  if (queue.empty() || !is_held(object)) return nullptr;
  const auto local = cluster.local_queues.find({ns, queue});
  if (local == cluster.local_queues.end()) return nullptr;
  const auto found = cluster.cluster_queues.find(local->second.cluster_queue);
  return found == cluster.cluster_queues.end() ? nullptr : &found->second;
}

// "" where there is none, or more than one.
std::string only_flavor(const outlook::ClusterState& cluster, const outlook::ClusterQueue& queue,
                        const outlook::ResourceGroup& group, const outlook::PodSet& set) {
  const auto needs = outlook::covered(set, group);
  if (needs.empty()) return {};
  const outlook::Member member(set.sample, cluster.prefix);
  const outlook::Keys keys = outlook::keys_of(cluster, group);
  std::string only;
  for (const outlook::FlavorQuota& quota : group.flavors) {
    if (!outlook::why_not(cluster, keys, quota.flavor, member).empty() ||
        !outlook::is_ever_enough(queue, quota, needs))
      continue;
    if (!only.empty()) return {};
    only = quota.flavor;
  }
  return only;
}

}  // namespace

std::string Admission::flavors() const {
  std::vector<std::string> names;
  for (const auto& [set, flavor] : pod_sets)
    if (std::ranges::find(names, flavor.flavor) == names.end()) names.push_back(flavor.flavor);
  return fmt::format("flavor{} {}", names.size() == 1 ? "" : "s", fmt::join(names, " and "));
}

bool may_be_admitted(const Json& object, const std::string& ns,
                     const outlook::ClusterState& cluster) {
  return queue_of(object, ns, cluster) != nullptr;
}

std::optional<Admission> admission_of(const Json& object, const std::string& ns,
                                      const outlook::ClusterState& cluster,
                                      const std::vector<outlook::PodSet>& pod_sets) {
  const outlook::ClusterQueue* queue = queue_of(object, ns, cluster);
  if (queue == nullptr) return std::nullopt;
  Admission out{.queue = label(object, queue_label), .pod_sets = {}};
  for (const outlook::PodSet& set : pod_sets)
    for (const outlook::ResourceGroup& group : queue->groups) {
      const std::string name = only_flavor(cluster, *queue, group, set);
      const auto flavor = cluster.flavors.find(name);
      if (flavor == cluster.flavors.end() || flavor->second.labels.empty()) continue;
      auto& of_set = out.pod_sets[set.name];
      of_set.flavor = name;
      of_set.labels.insert(of_set.labels.end(), flavor->second.labels.begin(),
                           flavor->second.labels.end());
    }
  if (out.pod_sets.empty()) return std::nullopt;
  return out;
}

void admit(Json& pod, const Admission& admission) {
  const auto found = admission.pod_sets.find(outlook::pod_set_name(pod));
  if (found == admission.pod_sets.end()) return;
  Json& selectors = pod["spec"]["nodeSelector"];
  if (!selectors.is_object()) selectors = Json::object();
  for (const auto& [key, value] : found->second.labels)
    if (!selectors.contains(key)) selectors[key] = value;
}

}  // namespace tpuwh::server::explain
