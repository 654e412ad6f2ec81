// The node pool that makes a slice: which machine type, and how many nodes.
//
// A multi-host slice is one whole node pool; single-host slices are one node each, and
// a pool may hold any number of them.
#pragma once

#include "base/result.hpp"
#include "topology/catalog.hpp"
#include "topology/dims.hpp"
#include "topology/slice.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tpuwh::topology::layout {

struct NodePool {
  const MachineType* machine;
  const Topology* row;  // null: legal by the generation's rule, named by no source
  Slice slice;          // slice.hosts is the number of nodes
};

// Every way to make `dims`, ascending by chips per node: 2x4 on v6e is two nodes of 4
// chips or one of 8. Machine types with the same chips (tpu7x-ultranet-4t) follow the
// one the catalog has first. Empty where the catalog does not know `dims`.
std::vector<NodePool> node_pools(const Generation& generation, const Dims& dims);

// The way with `chips_per_node`.
//
//   errors  those of make_slice, and bad_value where the catalog has no such way; the
//           message says which there are
Result<NodePool> node_pool(const Generation& generation, const Dims& dims,
                           std::uint32_t chips_per_node);

// The same by label value and text of a topology; nothing where the catalog does not know them.
std::optional<NodePool> find_node_pool(std::string_view accelerator, std::string_view topology,
                                       std::uint32_t chips_per_node);

// The machine type with the fewest chips that has at least `chips`; null beyond the
// largest.
const MachineType* smallest_machine(const Generation& generation, std::uint32_t chips);

}  // namespace tpuwh::topology::layout
