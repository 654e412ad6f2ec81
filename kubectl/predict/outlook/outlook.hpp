// What a cluster has for slices that are not there yet: whether they form now, and else what they
// wait for. A value in, a value out; who reads the cluster is cluster_state.hpp.
#pragma once

#include "kubectl/fixes/command.hpp"
#include "kubectl/predict/outlook/cluster_state.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tpuwh::server::outlook {

// A slice that a manifest would make.
struct WantedSlice {
  std::string title;                        // "slice 0 of 2", "" where the workload is one slice
  std::string accelerator, topology;        // "" where not known
  std::string part = {};                    // replicated job or worker group, "" for none
  std::optional<std::uint32_t> index = {};  // in its job
  std::uint32_t hosts = 1, chips_per_host = 0;
  bool by_claim = false;  // the chips are asked for by resource claim: a node has none to show
  std::string slice_key;  // label tpu-webhook.dev/slice-key of its members, "" for none
  Json member;            // its first Pod as it would be stored: after the patch
};

// Pods of one template, as Kueue counts them (pod_sets.hpp).
struct PodSet {
  std::string name;
  WantedSlice sample;  // its first Pod as the template has it
  std::uint64_t count = 0;
  std::map<std::string, double> each;  // what a Pod asks for

  double of_all(double amount) const { return amount * static_cast<double>(count); }
};

// An object that makes them.
struct WantedWorkload {
  std::string api_version, kind, ns, name;
  std::string queue;  // label kueue.x-k8s.io/queue-name, "" for none
  std::vector<WantedSlice> slices;
  std::vector<PodSet> pod_sets = {};   // all its Pods; none where nobody has counted them
  std::vector<std::string> services;   // that its Pods name and its controller does not make
  std::vector<std::string> with = {};  // other Pods of nobody that are of its slice, by name
};

enum class Cause {
  no_pool,         // no node pool of the shape
  pool_taken,      // those of the shape are held by others
  pool_too_small,  // they have fewer nodes than the slice has hosts
  pool_unusable,   // nodes are cordoned, not ready, tainted, or have fewer chips
  capacity,        // the pool is made, or grows, on demand
  quota,           // Kueue: queue missing, stopped, or short of chips
  driver,          // that of claims takes the nodes for another slice
  service,         // a headless Service that is not there
  gate,            // a scheduling gate that somebody has to open
};
const char* name(Cause cause);

// One thing that it waits for.
struct Wait {
  Cause cause;
  std::string what;                  // a sentence with the numbers
  std::vector<fixes::Command> help;  // in the order to run them
};

enum class Verdict {
  forms,  // or runs already
  waits,
  broken,  // it is there, and nothing comes of it as it is
  not_known,
};
const char* name(Verdict verdict);

// Where a slice can form now, or stands.
struct SlicePlace {
  std::string title;  // of WantedSlice
  std::string pool;   // of several that it stands on the first; "" where there is none
};

struct WorkloadOutlook {
  Verdict verdict = Verdict::not_known;
  std::string sentence;  // "forms now: slice 0 on tpu-slice-a, slice 1 on tpu-slice-b"
  std::vector<SlicePlace> places;
  std::vector<Wait> waits;
  std::vector<std::string> not_known;  // what might not be read, or cannot be seen from here
};

// In their order: a pool that an earlier slice takes is not free for a later one. One for each
// workload.
std::vector<WorkloadOutlook> look_out(const ClusterState& cluster,
                                      std::span<const WantedWorkload> workloads);

}  // namespace tpuwh::server::outlook
