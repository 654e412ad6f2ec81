#include "server/kube/store/objects.hpp"

#include "base/names.hpp"
#include "server/kube/store/parts.hpp"
#include "server/limits/limits.hpp"
#include "webhook/controllers/counts.hpp"
#include "webhook/ledger/token.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace tpuwh::server::kube::store {
namespace {

using base::json::Reader;
using base::json::ValueKind;
using topology::Place;
using webhook::read::Label;
using webhook::read::Pod;

bool read_number(Reader& in, std::optional<std::uint32_t>& out) {
  std::string_view text;
  if (in.kind() != ValueKind::number) return in.skip();
  if (!in.number(text)) return false;
  out = base::plain_decimal(text);
  return true;
}

struct Metadata {
  std::string ns, name, uid;
  bool leaving = false;
};

// `label(key)` takes the value of each label, `other(key)` that of a member that is not in
// Metadata.
template <class Label, class Other>
bool read_metadata(Reader& in, Metadata& out, Label&& label, Other&& other) {
  return read_object(in, [&](std::string_view key) {
    if (key == "namespace") return read_text(in, out.ns);
    if (key == "name") return read_text(in, out.name);
    if (key == "uid") return read_text(in, out.uid);
    if (key == "deletionTimestamp") {
      out.leaving = in.kind() == ValueKind::string;
      return in.skip();
    }
    return key == "labels" ? read_object(in, label) : other(key);
  });
}
template <class Label>
bool read_metadata(Reader& in, Metadata& out, Label&& label) {
  return read_metadata(in, out, label, [&](std::string_view) { return in.skip(); });
}

// The name of a RayCluster that owns it, "" for none.
bool read_ray_owner(Reader& in, std::string& out) {
  if (in.kind() != ValueKind::array) return in.skip();
  return in.array([&](std::size_t) {
    std::string kind, name;
    const bool read = read_object(in, [&](std::string_view key) {
      if (key == "kind") return read_text(in, kind);
      return key == "name" ? read_text(in, name) : in.skip();
    });
    if (kind == "RayCluster") out = name;
    return read;
  });
}

// Whether the Service names its Pods: one with an address, or of another name, does not.
bool read_headless(Reader& in, bool& out) {
  std::string address = "None", type;
  const bool read = read_object(in, [&](std::string_view key) {
    if (key == "clusterIP") return read_text(in, address);
    return key == "type" ? read_text(in, type) : in.skip();
  });
  out = address == "None" && type != "ExternalName";
  return read;
}

// What webhook::read::read_pod does not read: a Pod that is being created has none of it.
struct PodState {
  Metadata metadata;
  std::string node, phase;
  bool labelled = false;  // as a Ray worker or a member of a JobSet
};

bool is_of_interest(std::string_view label) {
  return label == webhook::read::spelled(webhook::read::Label::ray_node_type) ||
         label == webhook::read::spelled(webhook::read::Label::jobset_name);
}

// Most Pods of a cluster ask for no chips, and their text does not speak of them: one search, where
// reading the containers would cost ten times as much.
bool may_hold_chips(std::string_view json) {
  const std::string_view tpu = webhook::read::key::tpu;
  return ::memmem(json.data(), json.size(), tpu.data(), tpu.size()) != nullptr;
}

bool read_state(Reader& in, PodState& out) {
  return in.object([&](std::string_view key) {
    if (key == "metadata")
      return read_metadata(in, out.metadata, [&](std::string_view label) {
        out.labelled = out.labelled || is_of_interest(label);
        return in.skip();
      });
    if (key == "spec")
      return read_object(in, [&](std::string_view member) {
        return member == "nodeName" ? read_text(in, out.node) : in.skip();
      });
    if (key == "status")
      return read_object(in, [&](std::string_view member) {
        return member == "phase" ? read_text(in, out.phase) : in.skip();
      });
    return in.skip();
  });
}

// Labels are what a Pod's author wrote: a place that no group has is none.
std::optional<Place> possible(Place place) {
  return webhook::ledger::is_possible(place) ? std::optional(place) : std::nullopt;
}

// KubeRay's own labels; a single-host replica has no host index.
std::optional<Place> indexed_place(const Pod& pod) {
  const auto slice = base::plain_decimal(pod.label(Label::ray_replica_index));
  const auto host_text = pod.label(Label::ray_host_index);
  const auto host = base::plain_decimal(host_text.empty() ? "0" : host_text);
  if (!slice || !host) return std::nullopt;
  return possible({*slice, *host});
}

// Another injector's: replicaIndex "<group>-<slice>", and TPU_WORKER_ID, which counts the
// processes where a host has several.
std::optional<Place> injected_place(const Pod& pod, std::string_view group) {
  const auto replica = pod.label(Label::replica_index);
  if (!replica.starts_with(group) || !replica.substr(group.size()).starts_with('-'))
    return std::nullopt;
  const auto slice = base::plain_decimal(replica.substr(group.size() + 1));
  std::uint32_t processes = 0;
  std::optional<std::uint32_t> first_id;
  for (const webhook::read::Container& container : pod.containers) {
    if (container.init || container.chips() == 0 || processes++ != 0) continue;
    const auto* entry = pod.entry(container, webhook::read::Variable::tpu_worker_id);
    if (entry != nullptr) first_id = base::plain_decimal(entry->value);
  }
  if (!slice || !first_id) return std::nullopt;
  return possible({*slice, *first_id / processes});
}

// What the API server does not bound is not kept at any length: 440 Pods with an owner's uid of
// 1.3 MB took 562 MiB.
bool is_kept(std::string_view uid) {
  return uid.size() <= webhook::read::max_uid_bytes;
}

// Whether it can be one of ours: a container asks for chips, or for a claim, which may be for chips
// (webhook/read/claims.hpp). Whoever may create Pods may give any of them a worker's labels; one
// without chips is never reviewed, and the ledger once asked the API server about each that ended.
bool may_have_chips(const Pod& pod) {
  return !pod.claim_uses.empty() ||
         std::ranges::any_of(pod.containers, [](const auto& each) { return each.chips() > 0; });
}

std::optional<RayWorker> ray_worker(const Pod& pod) {
  if (!may_have_chips(pod) || pod.label(Label::ray_node_type) != "worker" ||
      pod.label(Label::ray_cluster).empty() || !is_kept(pod.owner.uid))
    return std::nullopt;
  RayWorker worker{.group = {std::string(pod.ns), std::string(pod.label(Label::ray_cluster)),
                             std::string(pod.owner.uid), std::string(pod.label(Label::ray_group))},
                   .token = std::string(pod.label(Label::token)),
                   .place = indexed_place(pod)};
  if (!worker.place) worker.place = webhook::ledger::place_of_token(worker.token);
  if (!worker.place) worker.place = injected_place(pod, worker.group.group);
  return worker;
}

std::optional<JobLeader> job_leader(const Pod& pod, std::string node) {
  if (!may_have_chips(pod) || !is_kept(pod.owner.uid)) return std::nullopt;
  if (pod.annotation(webhook::read::Annotation::jobset_exclusive).empty()) return std::nullopt;
  if (pod.annotation(webhook::read::Annotation::job_completion_index) != "0") return std::nullopt;
  return JobLeader{.job = {std::string(pod.ns), std::string(pod.label(Label::jobset_name)),
                           std::string(pod.label(Label::jobset_replicated_job)),
                           std::string(pod.label(Label::jobset_job_index))},
                   .job_uid = std::string(pod.owner.uid),
                   .node = std::move(node)};
}

// What the scheduler takes of the node: containers run together, init containers before them.
std::uint64_t chips_of(const Pod& pod) {
  std::uint64_t together = 0, alone = 0;
  for (const webhook::read::Container& each : pod.containers)
    if (each.init && !each.sidecar)
      alone = std::max(alone, each.chips());
    else
      together += each.chips();
  return std::max(together, alone);
}

std::optional<Holding> holding(const Pod& pod, const std::string& node) {
  const std::uint64_t chips = chips_of(pod);
  if (node.empty() || chips == 0) return std::nullopt;
  return Holding{.node = node,
                 .holder = {.slice = webhook::pools::slice_id(pod.label(Label::slice_key)),
                            .priority = pod.priority,
                            .chips = static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                chips, std::numeric_limits<std::uint32_t>::max()))}};
}

bool read_taint(Reader& in, webhook::pools::Node& node) {
  webhook::pools::Taint taint;
  std::string effect;
  const bool read = read_object(in, [&](std::string_view key) {
    if (key == "key") return read_text(in, taint.key);
    if (key == "value") return read_text(in, taint.value);
    return key == "effect" ? read_text(in, effect) : in.skip();
  });
  taint.no_execute = effect == "NoExecute";
  if (taint.no_execute || effect == "NoSchedule") node.taints.push_back(std::move(taint));
  return read;
}

bool read_node_spec(Reader& in, webhook::pools::Node& node) {
  return read_object(in, [&](std::string_view key) {
    if (key == "unschedulable" && in.kind() == ValueKind::boolean)
      return in.boolean(node.unschedulable);
    if (key != "taints" || in.kind() != ValueKind::array) return in.skip();
    return in.array([&](std::size_t) { return read_taint(in, node); });
  });
}

bool read_condition(Reader& in, webhook::pools::Node& node) {
  std::string type, status;
  const bool read = read_object(in, [&](std::string_view key) {
    if (key == "type") return read_text(in, type);
    return key == "status" ? read_text(in, status) : in.skip();
  });
  if (type == "Ready") node.ready = status == "True";
  return read;
}

bool read_node_status(Reader& in, webhook::pools::Node& node) {
  const auto read_chips = [&](std::string_view resource) {
    if (resource != webhook::read::key::tpu) return in.skip();
    std::string_view quantity;  // a string from an API server, and a number in what a person wrote
    const bool read = in.kind() == ValueKind::number   ? in.number(quantity)
                      : in.kind() == ValueKind::string ? in.string(quantity)
                                                       : in.skip();
    node.chips = base::plain_decimal(quantity).value_or(0);
    return read;
  };
  return read_object(in, [&](std::string_view key) {
    if (key == "allocatable") return read_object(in, read_chips);
    if (key != "conditions" || in.kind() != ValueKind::array) return in.skip();
    return in.array([&](std::size_t) { return read_condition(in, node); });
  });
}

bool read_worker_group(Reader& in, RayClusterObject& cluster) {
  std::string name;
  std::optional<std::uint32_t> hosts, replicas, least, most;
  bool suspended = false;
  const bool read = read_object(in, [&](std::string_view key) {
    if (key == "groupName") return read_text(in, name);
    if (key == "numOfHosts") return read_number(in, hosts);
    if (key == "replicas") return read_number(in, replicas);
    if (key == "minReplicas") return read_number(in, least);
    if (key == "maxReplicas") return read_number(in, most);
    if (key == "suspend" && in.kind() == ValueKind::boolean) return in.boolean(suspended);
    return in.skip();
  });
  if (!read) return false;
  const std::uint64_t slices =
      webhook::controllers::ray_replicas(
          {.replicas = replicas, .least = least, .most = most, .hosts = {}, .suspended = suspended})
          .now;
  // Its name is a label of its Pods; with another there are none.
  if (!base::is_label_value(name)) return true;
  if (cluster.groups.size() >= limits::api::worker_groups) return true;
  cluster.groups[name] = {.hosts = hosts.value_or(1), .slices = static_cast<std::uint32_t>(slices)};
  return true;
}

}  // namespace

std::optional<PodObject> ObjectReader::pod(std::string_view json) {
  PodState state;
  if (!reader_.start(json)) return std::nullopt;
  const Reader::Mark begin = reader_.mark();
  if (!read_state(reader_, state) || state.metadata.uid.empty()) return std::nullopt;
  PodObject pod{.uid = std::move(state.metadata.uid),
                .leaving = state.metadata.leaving,
                .ended = state.phase == "Succeeded" || state.phase == "Failed",
                .ray = {},
                .leader = {},
                .holding = {}};
  if (!state.labelled && !may_hold_chips(json)) return pod;
  reader_.go_to(begin);
  if (!webhook::read::read_pod(reader_, prefix_, pod_)) return std::nullopt;
  pod.ray = ray_worker(pod_);
  if (!pod.leaving && !pod.ended) pod.holding = holding(pod_, state.node);
  pod.leader = job_leader(pod_, std::move(state.node));
  return pod;
}

std::optional<webhook::pools::Node> ObjectReader::node(std::string_view json) {
  Metadata metadata;
  webhook::pools::Node node;
  std::string value;
  const auto read_label = [&](std::string_view key) {
    const std::string name(key);  // reading the value may move what a key with an escape is in
    value.clear();
    if (!read_text(reader_, value)) return false;
    node.labels.add(name, value);
    return true;
  };
  const bool read = reader_.start(json) && reader_.object([&](std::string_view key) {
    if (key == "metadata") return read_metadata(reader_, metadata, read_label);
    if (key == "spec") return read_node_spec(reader_, node);
    return key == "status" ? read_node_status(reader_, node) : reader_.skip();
  });
  if (!read || metadata.name.empty()) return std::nullopt;
  node.name = std::move(metadata.name);
  return node;
}

std::optional<ServiceObject> ObjectReader::service(std::string_view json) {
  Metadata metadata;
  std::string ray_cluster, owner;
  bool headless = true;
  const auto label = [&](std::string_view key) {
    return key == headless_service_of ? read_text(reader_, ray_cluster) : reader_.skip();
  };
  const auto other = [&](std::string_view key) {
    return key == "ownerReferences" ? read_ray_owner(reader_, owner) : reader_.skip();
  };
  const bool read = reader_.start(json) && reader_.object([&](std::string_view key) {
    if (key == "metadata") return read_metadata(reader_, metadata, label, other);
    return key == "spec" ? read_headless(reader_, headless) : reader_.skip();
  });
  if (!read || metadata.name.empty()) return std::nullopt;
  if (!headless) ray_cluster.clear();
  const bool owned = !ray_cluster.empty() && owner == ray_cluster;
  return ServiceObject{.ns = std::move(metadata.ns),
                       .name = std::move(metadata.name),
                       .ray_cluster = std::move(ray_cluster),
                       .owned = owned};
}

std::optional<RayClusterObject> ObjectReader::ray_cluster(std::string_view json) {
  Metadata metadata;
  RayClusterObject cluster;
  bool suspended = false;
  const bool read = reader_.start(json) && reader_.object([&](std::string_view key) {
    if (key == "metadata")
      return read_metadata(reader_, metadata, [&](std::string_view) { return reader_.skip(); });
    if (key != "spec") return reader_.skip();
    return read_object(reader_, [&](std::string_view member) {
      if (member == "suspend" && reader_.kind() == ValueKind::boolean)
        return reader_.boolean(suspended);
      if (member != "workerGroupSpecs" || reader_.kind() != ValueKind::array) return reader_.skip();
      return reader_.array([&](std::size_t) { return read_worker_group(reader_, cluster); });
    });
  });
  if (!read || metadata.name.empty()) return std::nullopt;
  cluster.ns = std::move(metadata.ns);
  cluster.name = std::move(metadata.name);
  cluster.uid = std::move(metadata.uid);
  if (suspended)
    for (auto& [name, group] : cluster.groups) group.slices = 0;
  return cluster;
}

std::optional<ClaimObject> ObjectReader::claim(std::string_view json) {
  return read_claim(json, false);
}

std::optional<ClaimObject> ObjectReader::claim_template(std::string_view json) {
  return read_claim(json, true);
}

// A template has what it makes one level further in.
std::optional<ClaimObject> ObjectReader::read_claim(std::string_view json, bool of_template) {
  Metadata metadata;
  ClaimObject out;
  const auto other = [&](std::string_view key) {
    if (key != "annotations") return reader_.skip();
    return read_object(reader_, [&](std::string_view name) {
      out.made = out.made || (!of_template && name == made_for_a_pod);
      return reader_.skip();
    });
  };
  const bool read = reader_.start(json) && reader_.object([&](std::string_view key) {
    if (key == "metadata")
      return read_metadata(
          reader_, metadata, [&](std::string_view) { return reader_.skip(); }, other);
    if (key != "spec") return reader_.skip();
    if (!of_template) return read_claim_spec(reader_, out.spec);
    return read_object(reader_, [&](std::string_view member) {
      return member == "spec" ? read_claim_spec(reader_, out.spec) : reader_.skip();
    });
  });
  if (!read || metadata.name.empty()) return std::nullopt;
  out.ns = std::move(metadata.ns);
  out.name = std::move(metadata.name);
  return out;
}

std::optional<DeviceClassObject> ObjectReader::device_class(std::string_view json) {
  Metadata metadata;
  DeviceClassObject out;
  const auto pass_over = [&](std::string_view) { return reader_.skip(); };
  const bool read = reader_.start(json) && reader_.object([&](std::string_view key) {
    if (key == "metadata") return read_metadata(reader_, metadata, pass_over, pass_over);
    if (key != "spec") return reader_.skip();
    return read_object(reader_, [&](std::string_view member) {
      if (member == "extendedResourceName") return read_text(reader_, out.extended_resource);
      return member == "selectors" ? read_selectors(reader_, out.selected) : reader_.skip();
    });
  });
  if (!read || metadata.name.empty()) return std::nullopt;
  out.name = std::move(metadata.name);
  return out;
}

}  // namespace tpuwh::server::kube::store
