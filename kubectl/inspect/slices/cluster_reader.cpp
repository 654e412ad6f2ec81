#include "kubectl/inspect/slices/cluster_reader.hpp"

#include "base/names.hpp"
#include "kubectl/inspect/slices/claims_seen.hpp"
#include "kubectl/inspect/slices/clock.hpp"
#include "kubectl/inspect/slices/driven_nodes.hpp"
#include "kubectl/inspect/slices/pod_reader.hpp"
#include "kubectl/inspect/source/snapshot.hpp"
#include "kubectl/objects/label_selector.hpp"
#include "kubectl/objects/object.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace tpuwh::server::slices {

namespace {

void add_node(const Json& object, Cluster& cluster) {
  if (auto node = source::node_of(object)) {
    const std::string name = node->name;
    if (const auto since = node->ready ? std::nullopt : not_ready_since(object))
      cluster.not_ready_since[name] = *since;
    cluster.nodes[name] = std::move(*node);
  }
}

std::pair<std::string, std::string> id_of(const Json& object) {
  const Json& metadata = text::member(object, "metadata");
  return {text::text_member(metadata, "namespace"), text::text_member(metadata, "name")};
}

void add_service(const Json& service, Cluster& cluster) {
  const Json& spec = text::member(service, "spec");
  cluster.services[id_of(service)] = {
      .headless = text::text_member(spec, "clusterIP") == "None",
      .publishes_all = text::member(spec, "publishNotReadyAddresses") == Json(true)};
}

void add_stray(const Json& pod, const std::string& key, const std::string& prefix,
               Cluster& cluster) {
  const bool leaves = !text::member(text::member(pod, "metadata"), "deletionTimestamp").is_null();
  if (leaves || objects::has_ended(pod)) return;
  auto [ns, name] = id_of(pod);
  cluster.strays.push_back({std::move(ns), std::move(name), key, prefix + "slice-key"});
}

std::string name_of(const Json& pod) {
  const auto [ns, name] = id_of(pod);
  return fmt::format("{}/{}", base::printable(ns), base::printable(name, 100));
}

// Services that choose their Pods: of the others somebody else writes the endpoints.
class Selecting {
 public:
  void add(const Json& service) {
    const Json& selector = text::member(text::member(service, "spec"), "selector");
    if (selector.is_object() && !selector.empty())
      services_[id_of(service)]["spec"]["selector"] = selector;
  }

  // False where the Service of the Pod's subdomain is there, for others.
  bool finds(const Json& object, const SeenPod& pod) const {
    const auto found = services_.find({pod.ns, pod.subdomain});
    return found == services_.end() ||
           objects::selects(found->second,
                            text::member(text::member(object, "metadata"), "labels"));
  }

 private:
  std::map<std::pair<std::string, std::string>, Json> services_;
};

// How many hosts its slice has follows from the chips of a node, which such a Pod does not ask for:
// it is counted by itself.
void by_itself_where_shared(SeenPod& pod) {
  if (pod.shares_node.empty()) return;
  pod.slice_key += "\n" + pod.name;
  pod.hosts = 0;
  pod.host.reset();
  pod.not_placed = pod.shares_node;
}

// Whose node is the whole slice, by the chips that it has.
bool is_on_a_larger_node(const Cluster& cluster, const SeenPod& pod) {
  const auto* node = cluster.node_of(pod);
  if (node == nullptr || !pod.multi_host() || pod.by_claim || pod.chips == 0) return false;
  return node->labels.value(webhook::read::key::topology) == pod.topology &&
         chips_of(*node) == pod.hosts * pod.chips;
}

// 2x4 of v5e and v6e are two hosts of four chips, or one of eight: Pods that ask for four and are
// on one of eight are no slice of two hosts, which nobody has told them apart from.
void by_themselves_on_larger_nodes(Cluster& cluster) {
  std::set<std::string> keys;
  for (const SeenPod& pod : cluster.pods)
    if (pod.staying() && is_on_a_larger_node(cluster, pod)) keys.insert(pod.slice_key);
  for (SeenPod& pod : cluster.pods) {
    if (!keys.contains(pod.slice_key)) continue;
    pod.shares_node =
        fmt::format("a node of its slice has {} chips, which is all of {}, but the Pod asks for {}",
                    pod.hosts * pod.chips, pod.topology, pod.chips);
    pod.has_smaller_nodes = true;
    by_itself_where_shared(pod);
  }
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

Result<Cluster> read_cluster(source::ObjectSource& source, const webhook::config::Config& config,
                             const source::ObjectSource::Each& also) {
  Cluster cluster;
  source::Snapshot around(config.prefix);  // Services and RayClusters say who Ray workers are
  PodReader reader(config, around);
  std::vector<std::string> passed_over;
  Owners owners;
  ClaimsSeen claims;
  Selecting selecting;
  std::vector<Json> heads;  // of the Pods that are kept: what says who made them
  const auto add_pod = [&](const Json& object) {
    auto pod = read_with_its_node(object, reader, cluster);
    if (!pod)
      passed_over.push_back(
          fmt::format("Pod {} was skipped: {}", name_of(object), pod.error().text()));
    else if (*pod) {
      by_itself_where_shared(**pod);
      (*pod)->selected = selecting.finds(object, **pod);
      cluster.pods.push_back(std::move(**pod));
      heads.push_back(head_of(object));
    } else {
      if (source.of_file()) claims.look_at(object);
      if (const std::string& key = reader.placement_key(); !key.empty())
        add_stray(object, key, config.prefix, cluster);
    }
  };
  auto told = source.for_each([&](std::string_view kind, const Json& object) {
    if (also) also(kind, object);
    if (kind == "Pod") return add_pod(object);
    owners.add(object);
    claims.add(kind, object);
    if (kind == "Node") add_node(object, cluster);
    if (kind == "ResourceSlice") add_driven_node(object, cluster);
    if (kind == "Service") {
      add_service(object, cluster);
      selecting.add(object);
    }
    around.add(object);
  });
  if (!told) return told.error();
  for (const std::string_view kind : Owners::kinds())
    if (source.has_list_of(kind)) owners.add_all_of(kind);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    cluster.pods[i].owners = owners.of_pod(heads[i]);
    cluster.pods[i].orphan = owners.any_deleted(cluster.pods[i].owners);
  }
  by_themselves_on_larger_nodes(cluster);
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
