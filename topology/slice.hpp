// The arithmetic of one slice: how many hosts and processes it has and what the
// device plugin will tell libtpu about it.
#pragma once

#include "base/result.hpp"
#include "topology/catalog.hpp"
#include "topology/dims.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tpuwh::topology {

// x, y, z; written "2,2,1".
using Bounds = std::array<std::uint32_t, 3>;
std::string text(const Bounds& bounds);

// How the device plugin lays out that many chips: 1, 2, 4 and 8 are known, else all zero
// (docs/facts.md#chips-per-host-bounds). It looks at the number alone, not at the generation.
Bounds bounds_of_chips(std::uint64_t chips);

// What a Pod says about its slice.
struct SliceRequest {
  std::string_view accelerator;  // label value; "" if not known
  Dims dims;
  std::uint64_t chips_per_container;  // google.com/tpu of each TPU container
  std::uint32_t containers_per_pod;   // TPU containers that run together
};

// Chips per VM, other than a slice's own, with which its topology exists too.
struct OtherChips {
  std::array<std::uint32_t, 4> chips{};
  std::size_t size = 0;
};

struct Slice {
  const Generation* generation;  // null: label absent or not in the catalog
  std::string_view accelerator;  // as requested; views the catalog where it is known
                                 // there, else what the request viewed
  Dims dims;
  std::uint64_t chips;
  std::uint32_t chips_per_host;  // of the Pod, so of the VM
  std::uint32_t hosts;           // Pods of the slice
  std::uint32_t processes_per_host;
  std::uint32_t processes;      // hosts * processes_per_host
  bool in_catalog;              // dims with chips_per_host is a row or follows the rule
  Traits traits;                // of the generation, as far as it is known
  OtherChips other_chips = {};  // of the catalog, where the slice is in it

  bool multi_host() const { return hosts > 1; }

  // TPU_CHIPS_PER_HOST_BOUNDS: bounds_of_chips(chips_per_container)
  Bounds chips_per_process_bounds() const;
  // TPU_HOST_BOUNDS: dims / chips_per_process_bounds per axis; their
  // product is `processes`. All zero where the former is.
  Bounds host_bounds() const;
  // TPU_TOPOLOGY_WRAP (docs/facts.md#wrap).
  std::array<bool, 3> wrap() const;
  std::uint64_t cores() const;  // chips where the generation is not known
  // TPU_ACCELERATOR_TYPE: "v6e-16", "v5p-16", "tpu7x-16"
  // (docs/facts.md#accelerator-type); "" where the
  // label is absent or follows no known pattern. Allocates.
  std::string accelerator_type() const;
};

// Hosts and processes, by exact division.
//
//   errors  chips_invalid        no chips or containers, or more than 32 bits
//           chips_not_dividing   dims.chips() is not a multiple of the Pod's chips
//           bounds_not_dividing  2,4,1 on 4x2: an axis is not a multiple of its bound
//           each message names topology, chips and the numbers, and lists the
//           legal shapes where the generation is known
//   source  docs/facts.md#whole-hosts and #chips-per-host-bounds
//   cost    no allocation unless it fails
Result<Slice> make_slice(const SliceRequest& request);

// A slice of which only the number of hosts is known: dims of rank 0, and no bounds.
//
//   errors  chips_invalid, as above
Result<Slice> slice_of_hosts(std::string_view accelerator, std::uint32_t hosts,
                             std::uint64_t chips_per_container, std::uint32_t containers_per_pod);

}  // namespace tpuwh::topology
