#include "server/slices/cluster_reader.hpp"

#include "server/slices/claims_seen.hpp"
#include "server/slices/clock.hpp"
#include "server/slices/pod_reader.hpp"
#include "server/source/snapshot.hpp"
#include "server/text/json_text.hpp"
#include "webhook/text/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tpuwh::server::slices {

namespace {

using Json = nlohmann::ordered_json;

void add_node(const Json& object, Cluster& cluster) {
  if (auto node = source::node_of(object)) {
    const std::string name = node->name;
    if (const auto since = node->ready ? std::nullopt : not_ready_since(object))
      cluster.not_ready_since[name] = *since;
    cluster.nodes[name] = std::move(*node);
  }
}

std::vector<std::pair<std::string, std::string>> selector_of(const Json& spec) {
  std::vector<std::pair<std::string, std::string>> out;
  const Json& selector = text::member(spec, "selector");
  if (!selector.is_object()) return out;
  for (const auto& [key, value] : selector.items())
    if (value.is_string()) out.emplace_back(key, value.get<std::string>());
  return out;
}

void add_service(const Json& service, Cluster& cluster) {
  const Json& metadata = text::member(service, "metadata");
  const Json& spec = text::member(service, "spec");
  const bool headless = text::text_member(spec, "clusterIP") == "None";
  const bool all = text::member(spec, "publishNotReadyAddresses") == Json(true);
  cluster
      .services[{text::text_member(metadata, "namespace"), text::text_member(metadata, "name")}] = {
      headless, all, selector_of(spec)};
}

void add_stray(const Json& pod, const std::string& key, const std::string& prefix,
               Cluster& cluster) {
  const std::string phase = text::text_member(text::member(pod, "status"), "phase");
  const Json& metadata = text::member(pod, "metadata");
  const bool ends = !text::member(metadata, "deletionTimestamp").is_null();
  if (ends || phase == "Succeeded" || phase == "Failed") return;
  cluster.strays.push_back({text::text_member(metadata, "namespace"),
                            text::text_member(metadata, "name"), key, prefix + "slice-key"});
}

std::string name_of(const Json& pod) {
  const Json& metadata = text::member(pod, "metadata");
  return fmt::format("{}/{}", webhook::text::printable(text::text_member(metadata, "namespace")),
                     webhook::text::printable(text::text_member(metadata, "name"), 100));
}

// By the Service of its subdomain, as far as there is one.
bool is_selected(const Json& object, const SeenPod& pod, const Cluster& cluster) {
  const auto found = cluster.services.find({pod.ns, pod.subdomain});
  if (found == cluster.services.end()) return true;
  const Json& labels = text::member(text::member(object, "metadata"), "labels");
  return std::ranges::all_of(found->second.selector, [&](const auto& want) {
    return text::text_member(labels, want.first) == want.second;
  });
}

// How many hosts its slice has follows from the chips of a node, which such a Pod does not ask for:
// it is counted by itself.
void by_itself_where_shared(SeenPod& pod) {
  if (pod.shares_node.empty()) return;
  pod.slice_key += "\n" + pod.name;
  pod.hosts = 0;
  pod.host.reset();
  pod.not_placed = pod.shares_node;
}

// The Pod as if it selected the shape of the node on which it is; nothing where the node says none.
std::optional<Json> with_shape_of(const webhook::pools::Node& node, const Json& object) {
  Json out = object;
  for (const std::string_view key :
       {webhook::read::key::accelerator, webhook::read::key::topology}) {
    const std::string_view value = node.labels.value(key);
    if (value.empty()) return std::nullopt;
    out["spec"]["nodeSelector"][std::string(key)] = value;
  }
  return out;
}

// Who selects a node pool by its name says nothing of a shape: its node does, once it is bound. The
// webhook, which comes before that, leaves such a Pod alone.
Result<std::optional<SeenPod>> read_with_its_node(const Json& object, PodReader& reader,
                                                  const Cluster& cluster) {
  auto pod = reader.read(object);
  if (!pod || !*pod || !(*pod)->topology.empty()) return pod;
  const auto* node = cluster.node_of(**pod);
  const auto selecting = node == nullptr ? std::nullopt : with_shape_of(*node, object);
  if (!selecting) return pod;
  auto placed = reader.read(*selecting);
  if (!placed || !*placed) return pod;
  (*placed)->left_alone = (*pod)->not_placed;
  return placed;
}

// A Pod may be a hundred kilobytes.
Json head_of(const Json& pod) {
  const Json& metadata = text::member(pod, "metadata");
  Json out;
  for (const char* key : {"namespace", "labels", "ownerReferences"})
    if (const Json* value = text::find_member(metadata, key)) out["metadata"][key] = *value;
  return out;
}

}  // namespace

Result<Cluster> read_cluster(source::ObjectSource& source, const webhook::config::Config& config) {
  Cluster cluster;
  source::Snapshot around(config.prefix);  // Services and RayClusters say who Ray workers are
  PodReader reader(config, around);
  std::vector<std::string> passed_over;
  Owners owners;
  ClaimsSeen claims;
  std::vector<Json> heads;  // of the Pods that are kept: what says who made them
  const auto add_pod = [&](const Json& object) {
    auto pod = read_with_its_node(object, reader, cluster);
    if (!pod)
      passed_over.push_back(
          fmt::format("Pod {} was skipped: {}", name_of(object), pod.error().text()));
    else if (*pod) {
      by_itself_where_shared(**pod);
      (*pod)->selected = is_selected(object, **pod, cluster);
      cluster.pods.push_back(std::move(**pod));
      heads.push_back(head_of(object));
    } else {
      if (source.of_file()) claims.look_at(object);
      if (const std::string& key = reader.placement_key(); !key.empty())
        add_stray(object, key, config.prefix, cluster);
    }
  };
  auto told = source.for_each([&](std::string_view kind, const Json& object) {
    if (kind == "Pod") return add_pod(object);
    owners.add(object);
    claims.add(kind, object);
    if (kind == "Node") add_node(object, cluster);
    if (kind == "Service") add_service(object, cluster);
    around.add(object);
  });
  if (!told) return told.error();
  for (const std::string_view kind : Owners::kinds())
    if (source.has_list_of(kind)) owners.add_all_of(kind);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    cluster.pods[i].owners = owners.of_pod(heads[i]);
    cluster.pods[i].orphan = owners.any_deleted(cluster.pods[i].owners);
  }
  cluster.unreadable = source.not_known();
  const auto unclaimed = claims.not_known();
  for (const auto* more : {&std::as_const(passed_over), &unclaimed})
    cluster.unreadable.insert(cluster.unreadable.end(), more->begin(), more->end());
  cluster.now = source.now();
  cluster.listed_nodes = source.listed("Node");
  cluster.listed_services = source.listed("Service");
  return cluster;
}

}  // namespace tpuwh::server::slices
