// How the nodes of a pool are obtained (spot, a reservation, …), as the flags of `catalog` say it.
#pragma once

#include "base/result.hpp"
#include "topology/layout/blocks.hpp"
#include "topology/layout/node_pool.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::catalog {

struct PoolOptions {
  bool flex_start = false;
  bool spot = false;
  std::string reservation = {};  // its name, or projects/P/reservations/NAME/...; empty: none
  bool autoscale = false;        // from zero nodes
  bool dranet = false;           // two networks beside the cluster's, for Pods that claim them
  bool dynamic_slicing = false;  // put together from blocks, each a node pool
  bool metadata_server = false;  // GKE's, for Pods that select its nodes
  std::uint32_t slices = 1;
  std::uint32_t slices_each = 0;  // single-host ones that a pool may hold; 0: all
  // Pools of the same name that are there, or are made before: numbers go on behind theirs, and
  // what comes before the pools is there.
  std::uint32_t before = 0;
  std::optional<std::uint32_t> num_nodes = {};  // what a page says, to be compared
  // What Pods select beside the shape: the pool's name, "" for one of the shape, and labels of
  // theirs. Names of Kubernetes, so that they can stand in a command.
  std::string name = {};
  std::vector<std::pair<std::string, std::string>> node_labels = {};

  bool is_default() const;
};

// What may stand behind --reservation: it becomes part of a shell command.
bool is_reservation(std::string_view text);
// The NAME of projects/P/reservations/NAME/reservationBlocks/B: what nodes are labelled with.
std::string_view reservation_name(std::string_view reservation);

// What a slice is put together from; nothing without --dynamic-slicing.
std::optional<topology::layout::Blocks> blocks(const topology::layout::NodePool& pool,
                                               const PoolOptions& options);

// Nodes of one pool: those of a block with --dynamic-slicing, else of the slice; of single-host
// slices a pool holds them all.
std::uint64_t nodes_of_pool(const topology::layout::NodePool& pool, const PoolOptions& options);
// Pools for all slices: one for each block, else for each multi-host slice.
std::uint32_t pool_count(const topology::layout::NodePool& pool, const PoolOptions& options);

// Nothing to complain of, or bad_value: two flags that exclude each other, a flag that the
// generation or machine type does not have, --num-nodes that does not form the slices.
std::optional<Error> complaint(const topology::layout::NodePool& pool, const PoolOptions& options);

}  // namespace tpuwh::server::catalog
