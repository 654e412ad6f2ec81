// What a Pod says about the hardware it wants: chips, topology, accelerator.
#pragma once

#include "topology/slice.hpp"
#include "webhook/read/claims.hpp"
#include "webhook/read/pod.hpp"

#include <string_view>
#include <vector>

namespace tpuwh::webhook::facts {

// TPU containers of one Pod that are handled, init containers included. No host
// has more than 8 chips; each container carries the lists of the whole slice, so
// their number bounds what an answer can weigh.
inline constexpr std::size_t max_tpu_containers = 16;

// Where a topology was found, most specific first (docs/facts.md#topology-places).
enum class TopologySource {
  none,
  sub_slice_annotation,  // cloud.google.com/gke-tpu-slice-topology
  node_selector,         // cloud.google.com/gke-tpu-topology
  node_affinity,         // the same key, one value
  annotation,            // cloud.google.com/gke-tpu-topology
  slice_id_key,          // cloud.google.com/gke-tpu-{slice,partition}-<T>-{id,state}
  claim,                 // a selector of its resource claim (docs/facts.md#dra)
};

struct Shape {
  std::vector<const read::Container*> processes;  // containers that hold chips together, in order
  std::vector<const read::Container*> init;       // TPU init containers that end before them
  std::string_view accelerator;                   // label value, "" if not known
  std::string_view topology;                      // text, "" if not known
  TopologySource source = TopologySource::none;
  std::string_view selector_topology;  // the node selector's, beside a sub-slice's
  bool equal_chips = true;             // every process asks for the same number

  std::uint64_t chips_per_container() const { return processes.front()->chips(); }
  // Part of a slice, or a slice made on demand: another key than the node pool
  // is the domain, and somebody else places it.
  bool dynamic = false;
  // The Pod selects the block or the slice made on demand that it is for.
  bool block_selected = false;
  // A ComputeClass chooses the nodes, and nothing says of which topology.
  bool class_chooses = false;

  void clear();
};

// Collects the above. Never fails: what is odd is told by the fields.
//   returns  false if no container asks for a chip, init containers included
bool read_shape(const read::Pod& pod, Shape& shape);

// What the Pod itself does not say of its nodes, its claims may.
void take_claims(const read::TakenClaims& claims, Shape& shape);

// Topology-aware scheduling of Kueue chooses its nodes.
bool placed_by_kueue(const read::Pod& pod);

}  // namespace tpuwh::webhook::facts
