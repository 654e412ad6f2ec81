// What is known of a cluster's TPU Pods, and of what is around them: plain values, from which
// slices and findings are made.
#pragma once

#include "base/names.hpp"
#include "kubectl/inspect/slices/owners.hpp"
#include "webhook/config/kind.hpp"
#include "webhook/placement/placement.hpp"
#include "webhook/pools/node.hpp"
#include "webhook/read/vocabulary.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::slices {

using Time = std::chrono::system_clock::time_point;

// A variable as a container has it: of several entries of a name the last.
struct EnvValue {
  // `unknown`: valueFrom, a reference to another variable, or possibly in an envFrom.
  enum class Kind { absent, literal, unknown };
  Kind kind = Kind::absent;
  std::string text = {};  // of a literal
  bool ours = false;      // the webhook wrote it, and nobody has changed it since

  bool absent() const { return kind == Kind::absent; }
  bool literal() const { return kind == Kind::literal; }
};

// A container that holds chips: what becomes a process of the slice.
struct TpuProcess {
  std::string container;
  std::array<EnvValue, webhook::read::variable_count> env = {};
  // Of its status. It has ended with this code and is not started again.
  std::optional<int> exit_code = {};
  std::optional<Time> ended = {};  // when
  bool waits = false;  // it does not run now, but is to: not yet started, or between two attempts

  const EnvValue& operator[](webhook::read::Variable variable) const {
    return env[static_cast<std::size_t>(variable)];
  }
  EnvValue& operator[](webhook::read::Variable variable) {
    return env[static_cast<std::size_t>(variable)];
  }
};

// An entry of spec.tolerations.
struct SeenToleration {
  std::string key, op, value, effect;
  std::optional<std::chrono::seconds> time = {};  // for how long; nothing: without end
};

// Why a Pod that lives does not run (pod_wait.hpp).
struct PodWait {
  // "container main is in ImagePullBackOff", "gated by kueue.x-k8s.io/topology"; "" where nothing
  // says it, and of one that runs.
  std::string what = {};
  std::optional<Time> since = {};
  std::string detail = {};  // " (31 restarts, last OOMKilled)", "" for none
  bool refused = false;     // the scheduler has looked, or must not look
};

enum class Life { pending, running, succeeded, failed, unknown };

// A Pod that asks for chips. Who it is, is what the webhook makes of it.
struct SeenPod {
  std::string ns, name;
  std::string hostname, subdomain;  // of the spec
  std::string node;                 // "" until it is bound
  std::string ip;                   // status.podIP
  bool host_network = false;
  Life life = Life::unknown;
  bool terminating = false;
  std::optional<Time> leaves_by;  // when the grace period of its deletion is over
  std::string finalizers;         // "a and b": who is asked before it is gone; "" for none
  std::optional<Time> created;
  std::optional<Time> bound;   // since when it has its node
  std::optional<Time> failed;  // when, of Life::failed; nothing where its status does not say
  std::string failure;         // why, of Life::failed: "Evicted: The node was low on resource"
  PodWait wait;                // why it does not run
  // Containers without chips that run and keep the Pod alive.
  std::vector<std::string> beside;
  bool selected = true;  // false where the Service of its subdomain is there, for other Pods
  bool ready = true;     // false where condition Ready says anything but True

  webhook::config::WorkloadKind workload = webhook::config::WorkloadKind::pod;
  std::string kind, group, part;   // "JobSet", its name, the replicated job or worker group
  std::vector<ObjectName> owners;  // that made it, the nearest first (owners.hpp)
  bool orphan = false;        // others of the kind of one of these are there, and that one is not
  std::string revision;       // of the template it was made from, "" where nothing says it
  std::string slice_key;      // equal for the members of a slice
  std::string job_key;        // equal for the slices of a job of several
  std::string placement_key;  // its label <prefix>slice-key, which the scheduler looks at
  std::string accelerator, topology;
  bool placed_by_others = false;  // a sub-slice or dynamic slice: its domain is not a node pool
  // Why it has placement terms or none, as the decision has it; the domain's key and value.
  webhook::placement::Terms terms = webhook::placement::Terms::undecided;
  std::string domain_key, domain;
  bool apart = false;       // pinned, with terms against other slices
  std::uint32_t hosts = 0;  // of the slice, 0 if not known
  std::uint32_t processes_per_host = 1;
  std::uint32_t chips = 0;  // that the Pod asks for
  // A DRA driver gives it its chips: by resource claim, or as google.com/tpu that one serves.
  bool by_claim = false;
  std::optional<std::uint32_t> host;   // which member it is
  std::optional<std::uint32_t> slice;  // which slice of the job
  std::uint32_t slice_count = 0;       // of the job, as its owner says; 0 if it does not
  std::string not_placed;              // why `host` is not known, a sentence
  bool impossible = false;             // its topology cannot be made of such Pods: not_placed
  std::string shares_node;             // it asks for a part of a node's chips: why, a sentence
  bool has_smaller_nodes = false;      // of shares_node: there are nodes with as many chips
  // Why the webhook would give such a Pod no variables, a sentence; "" where it would, or where
  // there is nothing to give.
  std::string left_alone;

  std::vector<TpuProcess> processes;
  std::vector<SeenToleration> tolerations;

  bool live() const { return life != Life::succeeded && life != Life::failed; }
  bool staying() const { return live() && !terminating; }
  std::uint32_t slice_processes() const { return hosts * processes_per_host; }
  bool multi_host() const { return hosts > 1; }
};

// A living Pod without chips that carries a label <prefix>slice-key: the scheduler takes it for a
// member of that slice (docs/decisions/0029).
struct StrayPod {
  std::string ns, name, placement_key;
  std::string label;  // "tpu-webhook.dev/slice-key"
};

// What the TPU DRA driver takes a node to be, by its ResourceSlices (docs/facts.md#dra).
struct DrivenNode {
  std::string topology;     // "" where they say none, as those of its version 0.1.0
  std::uint32_t chips = 0;  // 0 where they say none

  bool operator==(const DrivenNode&) const = default;
};
using DrivenNodes = std::map<std::string, DrivenNode, std::less<>>;  // by the name of the node

struct SeenService {
  bool headless = false;
  bool publishes_all = true;  // also addresses of Pods that are not Ready
};

struct Cluster {
  std::vector<SeenPod> pods;
  std::vector<StrayPod> strays;
  std::map<std::string, webhook::pools::Node, std::less<>> nodes;
  // Of nodes that are not ready, since when: from there on what a Pod tolerates is counted.
  std::map<std::string, Time, std::less<>> not_ready_since;
  std::map<std::pair<std::string, std::string>, SeenService> services;  // by namespace, name
  DrivenNodes driven;
  // A sentence for each Pod, and for each kind of object, that could not be read.
  std::vector<std::string> unreadable;
  bool listed_nodes = false, listed_services = false;  // all that there are, perhaps none
  std::optional<Time> now;  // of a file the newest time that stands in it

  // Every cluster has some of each: none in a file means that nobody asked.
  bool knows_nodes() const { return listed_nodes || !nodes.empty(); }
  bool knows_services() const { return listed_services || !services.empty(); }
  // Null where the Pod is not bound or its node is not known.
  const webhook::pools::Node* node_of(const SeenPod& pod) const {
    const auto found = nodes.find(pod.node);
    return found == nodes.end() ? nullptr : &found->second;
  }
};

// What a person calls the Pod's workload: the topmost that made it, else what it is of itself.
inline ObjectName topmost_of(const SeenPod& pod) {
  return pod.owners.empty() ? ObjectName{pod.kind, pod.ns, pod.group} : pod.owners.back();
}

// The chips of a node by its label: what is allocatable is less while some are ill.
inline std::uint32_t chips_of(const webhook::pools::Node& node) {
  return base::plain_decimal(node.labels.value(webhook::read::key::accelerator_count))
      .value_or(node.chips);
}

}  // namespace tpuwh::server::slices
