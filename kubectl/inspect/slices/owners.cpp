#include "kubectl/inspect/slices/owners.hpp"

#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/keys.hpp"
#include "webhook/workloads/table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ranges>

namespace tpuwh::server::slices {

namespace {

constexpr std::size_t deepest = 8;  // TrainJob, JobSet, Job, Pod are four

using objects::label;
using webhook::read::Label;

// The controller; kind "" where there is none.
ObjectName owner_of(const Json& object) {
  const Json& metadata = text::member(object, "metadata");
  for (const Json& each : text::member(metadata, "ownerReferences"))
    if (text::member(each, "controller") == Json(true))
      return {text::text_member(each, "kind"), text::text_member(metadata, "namespace"),
              text::text_member(each, "name")};
  return {};
}

// Of a RayCluster that another object of KubeRay's made.
ObjectName originator(const Json& cluster, const std::string& ns) {
  const std::string kind = label(cluster, objects::key::ray_originated_from);
  const std::string name = label(cluster, "ray.io/originated-from-cr-name");
  if (kind.empty() || kind == "RayCluster" || name.empty()) return {};
  return {kind, ns, name};
}

void add_once(std::vector<ObjectName>& chain, ObjectName name) {
  if (name.kind.empty() || name.name.empty()) return;
  if (std::ranges::find(chain, name) == chain.end()) chain.push_back(std::move(name));
}

bool is_all(std::string_view text, std::string_view of) {
  return text.find_first_not_of(of) == text.npos;
}

// What stands behind "<name>-"; "" where it does not begin so.
std::string_view suffix(std::string_view whole, std::string_view name) {
  if (whole.size() <= name.size() + 1 || !whole.starts_with(name) || whole[name.size()] != '-')
    return {};
  return whole.substr(name.size() + 1);
}

bool made_by(const ObjectName& child, std::string_view kind, std::string_view name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string_view rest = suffix(child.name, name);
  if (kind == "CronJob" && child.kind == "Job")
    return rest.size() >= 8 && is_all(rest, "0123456789");
  if ((kind != "RayJob" && kind != "RayService") || child.kind != "RayCluster") return false;
  if (rest.starts_with("raycluster-")) rest.remove_prefix(11);  // KubeRay before 1.4
  return rest.size() == 5 && is_all(rest, letters);
}

bool makes_pods(std::string_view kind) {
  return std::ranges::find(Owners::kinds(), kind) != Owners::kinds().end();
}

}  // namespace

std::span<const std::string_view> Owners::kinds() {
  static const std::vector<std::string_view> kinds = [] {
    std::vector<std::string_view> out{"ReplicaSet"};
    for (const auto& workload : webhook::workloads::workloads())
      for (const auto& object : workload.objects)
        if (object.makes_pods) out.push_back(object.kind);
    return out;
  }();
  return kinds;
}

void Owners::add(const Json& object) {
  const Json& metadata = text::member(object, "metadata");
  const std::string kind = text::text_member(object, "kind");
  const std::string ns = text::text_member(metadata, "namespace");
  if (makes_pods(kind)) makers_[kind].emplace(ns, text::text_member(metadata, "name"));
  ObjectName parent = owner_of(object);
  if (parent.kind.empty() && kind == "RayCluster") parent = originator(object, ns);
  if (!parent.kind.empty())
    parents_[{kind, ns, text::text_member(metadata, "name")}] = std::move(parent);
}

void Owners::climb(std::vector<ObjectName>& chain) const {
  for (std::size_t i = 0; i < chain.size() && i < deepest; ++i) {
    const auto found = parents_.find({chain[i].kind, chain[i].ns, chain[i].name});
    if (found != parents_.end()) add_once(chain, found->second);
  }
}

std::vector<ObjectName> Owners::of_pod(const Json& pod) const {
  const std::string ns = text::text_member(text::member(pod, "metadata"), "namespace");
  std::vector<ObjectName> chain;
  add_once(chain, owner_of(pod));
  climb(chain);
  // A ReplicaSet is its Deployment's name and a hash that stands on the Pod.
  const std::string hash = label(pod, objects::key::pod_template_hash);
  if (chain.size() == 1 && chain[0].kind == "ReplicaSet" && !hash.empty() &&
      chain[0].name.ends_with("-" + hash))
    chain.push_back(
        {"Deployment", ns, chain[0].name.substr(0, chain[0].name.size() - hash.size() - 1)});
  for (const auto& workload : webhook::workloads::workloads() | std::views::reverse)
    if (!workload.name_label.empty())
      add_once(chain, {std::string(workload.group_kind), ns,
                       label(pod, std::string(workload.name_label))});
  climb(chain);
  return chain;
}

bool Owners::any_deleted(const std::vector<ObjectName>& chain) const {
  return std::ranges::any_of(chain, [&](const ObjectName& each) {
    const auto found = makers_.find(each.kind);
    return found != makers_.end() && !found->second.contains({each.ns, each.name});
  });
}

bool includes(const std::vector<ObjectName>& chain, std::string_view kind, std::string_view ns,
              std::string_view name) {
  return std::ranges::any_of(chain, [&](const ObjectName& each) {
    return each.ns == ns && ((each.kind == kind && each.name == name) || made_by(each, kind, name));
  });
}

}  // namespace tpuwh::server::slices
