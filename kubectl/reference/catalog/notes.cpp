#include "kubectl/reference/catalog/notes.hpp"

#include "base/counted.hpp"
#include "topology/layout/multislice.hpp"

#include <fmt/format.h>

namespace tpuwh::server::catalog {

namespace {

using topology::layout::NodePool;
using Notes = std::vector<std::string>;

// "2 nodes of 4 chips (ct6e-standard-4t)"
std::string nodes_text(const NodePool& pool) {
  return fmt::format("{} of {} ({})", base::counted(pool.slice.hosts, "node"),
                     base::counted(pool.slice.chips_per_host, "chip"), pool.machine->name);
}

// The topology label is the same for both, so Pods of one can land on nodes of the other.
void other_ways(Notes& notes, const NodePool& pool) {
  for (const NodePool& other :
       topology::layout::node_pools(*pool.slice.generation, pool.slice.dims)) {
    if (other.slice.chips_per_host == pool.slice.chips_per_host) continue;
    notes.push_back(
        fmt::format("{} is also {}: the topology does not distinguish them, "
                    "google.com/tpu of the container does",
                    pool.slice.dims.text(), nodes_text(other)));
  }
}

void whole_pool(Notes& notes, const NodePool& pool, const PoolOptions& options) {
  if (!pool.slice.multi_host() || options.dynamic_slicing) return;
  notes.push_back(
      fmt::format("one slice is one whole node pool: a different --num-nodes or "
                  "--max-nodes than {} does not form {}",
                  pool.slice.hosts, pool.slice.dims.text()));
}

// docs/facts.md#dynamic-slices
void dynamic_slices(Notes& notes, const NodePool& pool, const PoolOptions& options) {
  const auto made_of = blocks(pool, options);
  if (!made_of) return;
  notes.push_back(fmt::format(
      "a node pool is a block {} of {}: its nodes have no topology label and run no Pods "
      "until GKE's slice controller makes healthy blocks a slice for whoever asks for one "
      "(doc-gke-dynamic-slices)",
      made_of->block.text(), base::counted(made_of->nodes, "node")));
  notes.push_back(
      "with Kueue and its slice controller: a queue name on the workload, the annotation on its "
      "Pods and no selector of a topology, which is added once the slice exists (xpk, "
      "gke-samples)");
  notes.push_back(fmt::format(
      "without Kueue: an object Slice (accelerator.gke.io/v1beta1) that names {}; its Pods also "
      "select "
      "cloud.google.com/gke-tpu-slice, its name, and cloud.google.com/gke-tpu-topology",
      made_of->shared() ? "the partition" : base::counted(made_of->count(), "partition")));
}

void capacity_of_blocks(Notes& notes, const NodePool& pool, const PoolOptions& options) {
  const auto made_of = blocks(pool, options);
  if (!made_of) return;
  const auto& slicing = *pool.slice.generation->dynamic_slicing;
  const std::string_view version =
      made_of->shared() ? slicing.version_of_parts : slicing.version_of_slices;
  const std::string_view which =
      options.reservation.empty()
          ? ": $RESERVATION is projects/P/reservations/R/reservationBlocks/B"
          : "";
  notes.push_back(fmt::format(
      "dynamic slicing needs a Standard cluster of the Rapid channel with GKE {} or later, "
      "and a reservation in All Capacity mode{}",
      version, which));
  // The catalog's disagreement "dynamic-slice-max".
  if (made_of->count() > slicing.most_blocks) {
    notes.push_back(
        fmt::format("one source has at most {} blocks in a slice (news-subslicing), GKE's "
                    "page of the Slice object {} chips",
                    slicing.most_blocks, pool.slice.generation->max_slice_chips));
  }
}

// Pages on Cloud TPU count the machines under the VMs (catalog disagreement "hosts-vs-vms").
void physical_hosts(Notes& notes, const NodePool& pool) {
  const std::uint32_t physical = pool.slice.generation->physical_chips_per_host;
  if (pool.slice.chips_per_host >= physical) return;
  const auto chips = pool.slice.chips;
  const std::string hosts = chips < physical ? fmt::format("1/{} host", physical / chips)
                                             : base::counted(chips / physical, "host");
  notes.push_back(fmt::format("pages that count physical hosts of {} chips say {} where GKE has {}",
                              physical, hosts, base::counted(pool.slice.hosts, "node")));
}

void legality(Notes& notes, const NodePool& pool) {
  const auto& generation = *pool.slice.generation;
  if (pool.row == nullptr) {
    notes.push_back(
        fmt::format("no source lists this shape; it follows the rule of {}: A<=B<=C in "
                    "multiples of {}, up to {} chips",
                    generation.label, generation.cube_axis, generation.max_slice_chips));
  } else if (pool.slice.chips > generation.max_slice_chips) {
    notes.push_back(
        fmt::format("tools list this shape, but the largest slice documented for {} "
                    "has {} chips",
                    generation.label, generation.max_slice_chips));
  }
  if (!generation.bounds_set_by_gke) {
    notes.push_back(
        "the device plugin sets no bounds and no wrap for this label; those above "
        "are computed by the rule of its siblings");
  }
}

// Each container is a process with its share of the chips (docs/facts.md#all-chips-of-a-node).
void several_containers(Notes& notes, const NodePool& pool) {
  const std::uint32_t many = pool.slice.traits.processes_per_host;
  if (many < 2 || pool.slice.chips_per_host % many != 0) return;
  const std::uint32_t each = pool.slice.chips_per_host / many;
  const auto slice = topology::make_slice({pool.slice.accelerator, pool.slice.dims, each, many});
  if (!slice) return;
  notes.push_back(fmt::format(
      "{} containers of {} also fill a node: then {} processes, chips per process {}, processes {}",
      many == 2 ? "two" : std::to_string(many), base::counted(each, "chip"), slice->processes,
      topology::text(slice->chips_per_process_bounds()), topology::text(slice->host_bounds())));
}

void capacity(Notes& notes, const NodePool& pool, const PoolOptions& options) {
  const bool has_policy = pool.slice.generation->placed_by_policy && pool.slice.multi_host();
  if (has_policy && !options.dynamic_slicing) {
    notes.push_back(
        "a workload policy carries the topology instead of --tpu-topology "
        "(doc-gke-ironwood); one policy serves all pools of this topology");
  }
  if (options.flex_start) {
    notes.push_back(
        "flex-start needs GKE 1.33.0-gke.1712000 or later, starts from zero nodes and "
        "ends after seven days at most");
  }
  if (options.spot && pool.slice.multi_host()) {
    notes.push_back("one preempted Spot node stops the whole slice");
  }
  if (options.dranet) {
    notes.push_back(
        "GKE's managed DRANET needs 1.34.1-gke.1829001 or later (Autopilot "
        "1.35.2-gke.1842000); choose ranges that your VPC networks have free");
  }
}

void several_slices(Notes& notes, const NodePool& pool, const PoolOptions& options) {
  const auto job = topology::layout::make_multislice(pool.slice, options.slices);
  if (!job) notes.push_back(job.error().message());
}

}  // namespace

std::vector<std::string> notes(const NodePool& pool, const PoolOptions& options) {
  Notes result;
  other_ways(result, pool);
  whole_pool(result, pool, options);
  dynamic_slices(result, pool, options);
  capacity_of_blocks(result, pool, options);
  physical_hosts(result, pool);
  several_containers(result, pool);
  legality(result, pool);
  capacity(result, pool, options);
  several_slices(result, pool, options);
  for (const auto note : {pool.slice.generation->note, pool.machine->note}) {
    if (!note.empty()) result.emplace_back(note);
  }
  return result;
}

}  // namespace tpuwh::server::catalog
