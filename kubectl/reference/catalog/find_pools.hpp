// Which node pools a person means by accelerator, topology and chips per node.
#pragma once

#include "kubectl/reference/catalog/find_accelerator.hpp"
#include "topology/layout/node_pool.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tpuwh::server::catalog {

// All ways to make a topology, or the one with so many chips per node.
//
//   errors  those of Dims::parse and topology::layout::node_pool; bad_value where the topology is
//           not the accelerator's, or has not the cores its type says, or the machine type
//           not the chips
Result<std::vector<topology::layout::NodePool>> find_pools(
    const Accelerator& accelerator, std::string_view topology,
    std::optional<std::uint32_t> chips_per_node);

// The topologies whose accelerator type has that many cores, as far as they are listed.
std::vector<topology::Dims> topologies_with(const topology::Generation& generation,
                                            std::uint64_t cores);

}  // namespace tpuwh::server::catalog
