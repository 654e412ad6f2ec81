// What is kept of a cluster to say whether slices can form on it: plain values.
#pragma once

#include "base/result.hpp"
#include "kubectl/inspect/slices/owners.hpp"
#include "kubectl/inspect/source/object_source.hpp"
#include "kubectl/predict/outlook/standing_slices.hpp"
#include "server/text/json.hpp"
#include "webhook/config/config.hpp"
#include "webhook/pools/pools.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::outlook {

// A Pod that has chips of a node, and whose it is.
struct Tenant {
  std::string kind, ns, group;  // "JobSet", its namespace and its name: the topmost that made it
  std::vector<slices::ObjectName> owners;  // all of these, the nearest first
  std::optional<std::uint32_t> slice;
  std::string pod;
  std::uint32_t hosts = 1;  // of its slice
  std::uint32_t chips = 0;
  bool leaving = false;  // it is being deleted
};

// The kinds below are Kueue's: apis/kueue/v1beta1 and v1beta2 of kubernetes-sigs/kueue (ff69552).
struct LocalQueue {
  std::string cluster_queue;
  std::string stopped;   // stopPolicy Hold or HoldAndDrain; "" for neither
  std::string inactive;  // the message of condition Active=False, "" where it is active
};

// Of one resource: chips, CPUs, bytes.
struct Quota {
  double nominal = 0, reserved = 0;
  std::optional<double> borrowing_limit;  // nothing: no limit but the cohort's
  std::string not_a_quantity;             // what stands for the nominal quota; "" where it is one
};

struct FlavorQuota {
  std::string flavor;
  std::map<std::string, Quota, std::less<>> of;  // by resource
};

// Resources that one flavor has to have together for a Pod set.
struct ResourceGroup {
  std::set<std::string, std::less<>> covered;
  std::vector<FlavorQuota> flavors;  // in the order in which they are tried
};

// Workloads of which namespaces a ClusterQueue admits: an absent selector matches none.
enum class Namespaces { none, some, all };

struct ClusterQueue {
  std::string cohort, stopped, inactive;
  Namespaces namespaces = Namespaces::none;
  bool strict = false;              // StrictFIFO: whoever is first keeps the others waiting
  std::uint64_t pending = 0;        // workloads that wait in it
  std::vector<std::string> checks;  // admission checks
  std::vector<ResourceGroup> groups;

  // Null where none covers it.
  const ResourceGroup* group_of(std::string_view resource) const {
    for (const ResourceGroup& group : groups)
      if (group.covered.contains(resource)) return &group;
    return nullptr;
  }
};

struct Flavor {
  std::vector<std::pair<std::string, std::string>> labels;  // of its nodes
  std::vector<webhook::pools::Taint> taints;                // that a Pod has to tolerate
  std::set<std::string> tolerated;  // keys of taints that Kueue adds a toleration for
  std::string topology;             // of topology-aware scheduling, "" for none
};

// A ComputeClass of GKE, cloud.google.com/v1: what its nodes are made of, best first.
struct ComputeClass {
  struct Priority {
    std::string accelerator, topology;  // tpu.type, tpu.topology; "" where it names none
    std::uint64_t chips_per_node = 0;
    bool spot = false, flex_start = false;
  };
  std::vector<Priority> priorities;
};

struct ClusterState {
  using Name = std::pair<std::string, std::string>;  // namespace, name

  webhook::pools::Pools pools;                                      // with a holder for each tenant
  std::map<std::string, std::vector<Tenant>, std::less<>> tenants;  // by node
  std::vector<StandingSlice> slices;
  slices::DrivenNodes driven;  // what the driver of claims takes nodes for
  // TPU nodes without label cloud.google.com/gke-nodepool, by accelerator and topology.
  std::map<std::pair<std::string, std::string>, std::uint64_t> without_pool;
  std::map<Name, bool> services;  // whether it is headless
  std::map<Name, LocalQueue> local_queues;
  std::map<std::string, ClusterQueue, std::less<>> cluster_queues;
  std::map<std::string, Flavor, std::less<>> flavors;
  std::map<std::string, ComputeClass, std::less<>> compute_classes;

  // Whether there are no others than these. A file does not know, and has some of each kind that
  // it was made with.
  bool knows_nodes = false, knows_services = false, knows_local_queues = false,
       knows_cluster_queues = false, knows_flavors = false, knows_compute_classes = false;
  bool has_kueue = true;                    // without it the label of a queue does nothing
  std::vector<std::string> not_known;       // a sentence for each kind, or Pod, that was not read
  std::string prefix = "tpu-webhook.dev/";  // Config::prefix
};

// Reads everything the source has.
//
//   config  its prefix and its rule for KubeRay's Service names count
//   also    is given every object too, since a source is read once
//   errors  the source's
Result<ClusterState> read_cluster_state(source::ObjectSource& source,
                                        const webhook::config::Config& config,
                                        const source::ObjectSource::Each& also = {});

// An object that is applied together with the workloads: a Service, a queue or flavor of Kueue, a
// ComputeClass. One of its name that is there already stays as it is: it has a status.
//
//   ns  of what names no namespace
void add_planned(ClusterState& state, const Json& object, const std::string& ns);

}  // namespace tpuwh::server::outlook
