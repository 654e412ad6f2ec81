// What Cloud TPU offers on GKE: generations, machine types, topologies.
//
// The rows are generated at build time from topology/tpu-catalog.json, which says
// for each where it comes from; `sources` of a row are ids of that file's
// "sources". Lookups are by GKE label value; nothing here allocates.
//
// The catalog advises. A label or a shape that is not in it is not an error
// in this library: the catalog grows after the program is built.
#pragma once

#include "topology/dims.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tpuwh::topology {

// One shape on one machine type.
struct Topology {
  Dims dims;
  std::uint32_t vms;                       // nodes of the node pool
  std::string_view scope;                  // "sub-host", "single-host", "multi-host"
  std::string_view accelerator_type;       // "v6e-16"
  std::string_view chips_per_host_bounds;  // "2,2,1"
  std::string_view host_bounds;            // "2,2,1"
  std::string_view wrap;                   // "false,false,false"
  std::span<const std::string_view> sources;
};

struct MachineType {
  std::string_view name;  // "ct6e-standard-4t"
  std::uint32_t chips_per_vm;
  bool dranet;                           // a source shows two more networks on it
  std::span<const Topology> topologies;  // ascending by chips
  std::string_view note;                 // a sentence, or ""
  std::span<const std::string_view> sources;
};

// Which axes of a slice close into a ring (docs/facts.md#wrap).
enum class WrapRule {
  never,            // v3, and labels for which the device plugin writes none
  all_from_four,    // v4, v5p, tpu7, tpu7x: all axes when each is at least 4
  axis_of_sixteen,  // v5e, v6e: an axis of 16
};

// What programs on a chip, and the node it is in, do in ways of their own. As it stands here:
// a generation that the catalog does not know.
struct Traits {
  // as torch_tpu counts them (docs/facts.md#torch-tpu)
  std::uint32_t devices_per_chip = 1;
  // TPU containers that may share a host (docs/facts.md#all-chips-of-a-node); each has ports of
  // its own then
  std::uint32_t processes_per_host = 1;
  // Where a slice has one host, the device plugin leaves its worker id and names to the webhook
  // (docs/facts.md#single-host-defaults).
  bool ids_by_webhook = false;
  // JAX reads TPU_PROCESS_ADDRESSES (docs/facts.md#process-addresses-break-xla).
  bool process_addresses = false;

  bool shares_host() const { return processes_per_host > 1; }
};

// Slices that are put together from blocks, each a node pool (docs/facts.md#dynamic-slices).
struct DynamicSlicing {
  Dims block;           // a cube, in chips
  std::uint32_t nodes;  // of a block
  std::string_view machine_type;
  std::span<const Dims> parts;         // of one block, that are slices too
  std::string_view version_of_parts;   // of GKE, the least
  std::string_view version_of_slices;  // likewise, of whole blocks
  std::uint32_t most_blocks;           // of a slice, as one source says
};

struct Generation {
  std::string_view label;        // cloud.google.com/gke-tpu-accelerator
  std::string_view id;           // "v6e"
  std::string_view name;         // "TPU v6e (Trillium)"
  std::string_view type_prefix;  // "v6e" in "v6e-16"
  unsigned rank;                 // 2 or 3
  unsigned cores_per_chip;
  std::span<const std::string_view> aliases;  // "Trillium", beside the names above
  WrapRule wrap;
  Traits traits;
  bool placed_by_policy;  // a multi-host pool: by a workload policy, not --tpu-topology
  bool flex_start;        // GKE offers it
  const DynamicSlicing* dynamic_slicing;  // null where there is none
  bool multislice;  // a source says it works; false for tpu7, where none says either
  std::uint64_t max_slice_chips;
  // v4, v5p, tpu7, tpu7x: beyond the listed rows, every A<=B<=C of multiples of
  // `cube_axis` up to max_slice_chips is legal; 0 where only the rows are
  std::uint32_t cube_axis;
  std::uint32_t cube_chips_per_vm;             // of the nodes those shapes are made of
  std::span<const MachineType> machine_types;  // ascending by chips_per_vm
  // of the machine under the VMs; v5e and v6e have two 4-chip VMs on one
  std::uint32_t physical_chips_per_host;
  // whether the device plugin writes bounds and wrap (docs/facts.md#who-gets-bounds)
  bool bounds_set_by_gke;
  std::string_view status;  // "supported by GKE"
  bool supported_by_gke() const { return status.starts_with("supported by GKE"); }
  std::string_view note;  // a sentence or two, or ""
  std::span<const std::string_view> sources;
};

// What an id in `sources` stands for.
struct Source {
  std::string_view id;       // "gke-device-plugin"
  std::string_view title;    // "GKE TPU device plugin (published source)"
  std::string_view where;    // repository and path, or address
  std::string_view version;  // commit or date
};

// A generation of which no GKE label, machine type or topology is known.
struct Announced {
  std::string_view name;  // "TPU 8t"
  std::string_view date;
};

std::span<const Generation> generations();
std::span<const Announced> announced();
std::span<const Source> sources();

// The row whose label is `label`, or null. An empty or unknown label is null.
const Generation* find_generation(std::string_view label);

// Those of the row, or of the row that `label` is a machine-type spelling of
// ("tpu7x-standard-4t"). A name that only starts so ("tpu70", "tpu7e") is another generation.
const Traits& traits_of(std::string_view label);

// "tpu7x", "tpu7x or tpu9x": the generations for which this holds, for a sentence. Allocates.
std::string labels_of(bool (*has)(const Generation&));

// Whether the catalog, by row or by rule, knows `dims` on this generation with
// `chips_per_vm` chips on a node. A row counts even beyond max_slice_chips: tools
// list two such shapes of v5p (the file's disagreement "v5p-max").
bool is_known(const Generation& generation, const Dims& dims, std::uint32_t chips_per_vm);

// The chips per VM with which the catalog knows `dims`, ascending, at most 4
// (2x4 on v6e: 4 and 8). `out` has room for 4; returns how many were written.
std::size_t chips_per_vm_of(const Generation& generation, const Dims& dims,
                            std::span<std::uint32_t, 4> out);

// "2x2, 2x4, 4x4, ...": the legal shapes with that many chips per VM, for an error
// message; rule-based ones are described, not listed. Empty where no node of the
// generation has that many chips. Allocates.
std::string legal_shapes(const Generation& generation, std::uint32_t chips_per_vm);

// The topology that somebody probably means by one that is not listed: the same axes in another
// order ("4x2" is 2x4), else the first of as many chips. Nothing where there is none.
std::optional<Dims> nearest_topology(const Generation& generation, const Dims& dims);
// By accelerator type or number of cores: "v6e-16" and "16" are 4x4.
std::optional<Dims> nearest_topology(const Generation& generation, std::string_view type);

// The sub-slice shapes the device plugin accepts in the annotation
// cloud.google.com/gke-tpu-slice-topology
// (docs/facts.md#sub-slice-shapes).
std::span<const Dims> sub_slice_shapes();
bool is_sub_slice_shape(const Dims& dims);

}  // namespace tpuwh::topology
