// The slices that the TPU Pods of a cluster form, and how far each has come.
#pragma once

#include "server/slices/cluster.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::slices {

enum class Phase {
  running,  // every member is there and runs
  forming,  // members are missing, or do not run yet
  broken,   // it cannot form as it is: a place or worker id twice, a member failed and was not
            // replaced, Pods of which nothing says which member they are
  ended,    // no member lives
};
std::string_view name(Phase phase);

struct SliceReport {
  std::string ns, kind, group, part;  // "JobSet", its name, the replicated job
  std::string job_key;                // of the job that several slices form
  std::optional<std::uint32_t> slice;
  std::uint32_t slices = 0;  // of the job; 0 if nothing says it
  std::string accelerator, topology;
  std::uint32_t hosts = 0;      // that it needs; 0 if not known
  std::uint32_t processes = 0;  // hosts times TPU containers

  // Pods of the Cluster that this was made of, which must outlive it.
  std::vector<const SeenPod*> members;  // that live, by host; those without a host at the end
  std::vector<const SeenPod*> ended;    // that do not

  std::vector<std::uint32_t> missing;     // hosts that no Pod is, or was to its good end
  std::vector<std::uint32_t> duplicates;  // hosts that several Pods are
  // TPU_WORKER_ID of the members' containers, where it is a literal number.
  std::map<std::uint32_t, std::vector<const SeenPod*>> worker_ids;
  std::vector<std::uint32_t> duplicate_ids;  // that several containers have
  bool worker_ids_known = true;              // no member's comes from elsewhere

  std::vector<std::string> pools;          // of the nodes of the members, by name
  std::vector<std::string> pool_troubles;  // why the pool it has begun on cannot hold the rest
  std::uint32_t unbound = 0;               // members without a node
  std::uint32_t unknown_nodes = 0;         // members whose node is not known

  Phase phase = Phase::forming;

  bool multi_host() const { return hosts > 1; }
  std::uint32_t hosts_present() const { return hosts - static_cast<std::uint32_t>(missing.size()); }
  // "JobSet ml/train/workers, slice 0 of 2", for sentences.
  std::string full_name() const;
};

// One for each slice, by namespace, workload and index.
//   cost  sorts the Pods; a list of the hosts of each slice
std::vector<SliceReport> report_slices(const Cluster& cluster);

}  // namespace tpuwh::server::slices
