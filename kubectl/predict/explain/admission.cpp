#include "kubectl/predict/explain/admission.hpp"

#include "kubectl/predict/explain/pod_json.hpp"
#include "kubectl/predict/outlook/flavor_fit.hpp"
#include "kubectl/predict/outlook/pod_sets.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tpuwh::server::explain {

namespace {

constexpr auto queue_label = webhook::read::Label::kueue_queue_name;

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

// In the order in which they are tried.
std::vector<std::string> fitting_flavors(const outlook::ClusterState& cluster,
                                         const outlook::ClusterQueue& queue,
                                         const outlook::ResourceGroup& group,
                                         const outlook::PodSet& set) {
  const auto needs = outlook::covered(set, group);
  if (needs.empty()) return {};
  const outlook::Member member(set.sample, cluster.prefix);
  std::vector<std::string> out;
  for (const outlook::FlavorQuota& quota : group.flavors)
    if (outlook::why_not(cluster, quota.flavor, member).empty() &&
        outlook::is_ever_enough(queue, quota, needs))
      out.push_back(quota.flavor);
  return out;
}

// Whether the flavor makes the Pods select what they do not select by themselves.
bool selects_more(const outlook::ClusterState& cluster, const std::string& name,
                  const outlook::PodSet& set) {
  const auto flavor = cluster.flavors.find(name);
  if (flavor == cluster.flavors.end()) return false;
  const outlook::Member member(set.sample, cluster.prefix);
  return std::ranges::any_of(flavor->second.labels, [&](const auto& label) {
    return member.selected(label.first) != label.second;
  });
}

std::string flavor_words(const std::map<std::string, Admission::OfPodSet>& pod_sets) {
  std::vector<std::string> names;
  for (const auto& [set, flavor] : pod_sets)
    if (std::ranges::find(names, flavor.flavor) == names.end()) names.push_back(flavor.flavor);
  return fmt::format("flavor{} {}", names.size() == 1 ? "" : "s", fmt::join(names, " and "));
}

}  // namespace

std::string Admission::words() const {
  std::string out = fmt::format("as Kueue admits it from queue {}", queue);
  if (open.empty()) return fmt::format("{}, with {}", out, flavor_words(pod_sets));
  char before = ':';
  for (const auto& [set, flavor] : pod_sets) {
    out += fmt::format("{} Pods of {} with flavor {}", before, set, flavor.flavor);
    before = ';';
  }
  for (const auto& [set, flavors] : open) {
    out += fmt::format("{} those of {} with flavor {}", before, set, fmt::join(flavors, " or "));
    before = ';';
  }
  return out;
}

std::map<std::string, std::string> Admission::not_decided() const {
  std::map<std::string, std::string> out;
  for (const auto& [set, flavors] : open)
    out[set] = fmt::format(
        "which of the flavors {} the Pods get is not known, so the nodes that they select are not "
        "known either",
        fmt::join(flavors, " and "));
  return out;
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
  Admission out{.queue = label(object, queue_label), .pod_sets = {}, .open = {}};
  for (const outlook::PodSet& set : pod_sets)
    for (const outlook::ResourceGroup& group : queue->groups) {
      const auto fitting = fitting_flavors(cluster, *queue, group, set);
      if (fitting.size() > 1 && group.covered.contains(webhook::read::key::tpu) &&
          set.each.contains(std::string(webhook::read::key::tpu)) &&
          std::ranges::any_of(
              fitting, [&](const std::string& each) { return selects_more(cluster, each, set); }))
        out.open[set.name] = fitting;
      if (fitting.size() != 1) continue;
      const std::string& name = fitting.front();
      const auto flavor = cluster.flavors.find(name);
      if (flavor == cluster.flavors.end() || flavor->second.labels.empty()) continue;
      auto& of_set = out.pod_sets[set.name];
      of_set.flavor = name;
      of_set.labels.insert(of_set.labels.end(), flavor->second.labels.begin(),
                           flavor->second.labels.end());
    }
  if (out.pod_sets.empty() && out.open.empty()) return std::nullopt;
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
