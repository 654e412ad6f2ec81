// The slices that the TPU Pods of a cluster form, and how far each has come.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::slices {

enum class Phase {
  running,  // every member is there and runs, or has done its work
  forming,  // members are missing, do not run yet or are being deleted
  broken,   // it cannot form as it is: a place or worker id twice, a member is lost (standing.hpp)
            // or failed and was not replaced, Pods of which nothing says which member they are
  ended,    // no member lives, or all that live have done their work
};
std::string_view name(Phase phase);

// Why the node pool on which the slice has begun cannot hold the rest of it.
struct PoolTrouble {
  // A sentence's part for each thing that is wrong there: "node x is cordoned". None where the rest
  // fits, where nothing has begun, and where nothing is known.
  std::vector<std::string> what;
  // Whether the rest would fit once what passes by itself has passed, and has had the time for it:
  // a node is repaired, upgraded or still to come (docs/facts.md#node-repair).
  bool may_pass = false;
  // Whether all that is wrong is that members of other multi-host slices stand there.
  bool crowded = false;
};

struct SliceReport {
  std::string ns, kind, group, part;  // "JobSet", its name, the replicated job
  std::string job_key;                // of the job that several slices form
  std::optional<std::uint32_t> slice;
  std::uint32_t slices = 0;  // of the job; 0 if nothing says it
  std::string accelerator, topology;
  std::uint32_t hosts = 0;      // that it needs; 0 if not known
  std::uint32_t processes = 0;  // hosts times TPU containers

  // Pods of the Cluster that this was made of, which must outlive it; each list by host, those
  // without a host at the end.
  std::vector<const SeenPod*> members;  // that hold a place (places.hpp)
  std::vector<const SeenPod*> staying;  // of these, those that are not being deleted
  std::vector<const SeenPod*> leaving;  // that are being deleted, while another has their place
  std::vector<const SeenPod*> ended;    // that do not live any more

  // Hosts that no Pod is, or was to its good end; none where a member's host is not known.
  std::vector<std::uint32_t> missing;
  std::vector<std::uint32_t> duplicates;  // hosts that several Pods are
  // TPU_WORKER_ID of the containers of members that stay, where it is a literal number.
  std::map<std::uint32_t, std::vector<const SeenPod*>> worker_ids;
  std::vector<std::uint32_t> duplicate_ids;  // that several containers have
  bool worker_ids_known = true;              // no member's comes from elsewhere
  std::vector<const SeenPod*> failed;        // of `ended`, the last of each place that nobody has
  bool rolls_over = false;                   // members that stay are of several templates

  // Of the members that stay; of all where none does.
  std::vector<std::string> pools;   // of their nodes, by name
  std::uint32_t unbound = 0;        // without a node
  std::uint32_t unknown_nodes = 0;  // whose node is not known

  PoolTrouble pool;

  Phase phase = Phase::forming;

  bool multi_host() const { return hosts > 1; }
  // Whether which of the slice's hosts each member that stays is, is known.
  bool places_known() const;
  std::uint32_t hosts_present() const { return hosts - static_cast<std::uint32_t>(missing.size()); }
  // "JobSet ml/train/workers, slice 0 of 2", for sentences.
  std::string full_name() const;
};

// One for each slice, by namespace, workload and index.
//   cost  sorts the Pods; a list of the hosts of each slice
std::vector<SliceReport> report_slices(const Cluster& cluster);

}  // namespace tpuwh::server::slices
