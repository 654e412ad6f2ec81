#include "kubectl/reference/catalog/pool_options.hpp"

#include "base/counted.hpp"
#include "base/result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace tpuwh::server::catalog {

namespace {

using topology::layout::NodePool;

// Three ways to pay for a node; it is had by one of them.
std::optional<Error> two_ways_to_pay(const PoolOptions& options) {
  std::vector<std::string_view> ways;
  if (options.flex_start) ways.push_back("--flex-start");
  if (options.spot) ways.push_back("--spot");
  if (!options.reservation.empty()) ways.push_back("--reservation");
  if (ways.size() < 2) return std::nullopt;
  return bad_value(
      fmt::format("{} and {} exclude each other: a node is reserved, Spot, or provisioned "
                  "by flex-start",
                  ways[0], ways[1]));
}

// GKE, "About GPU, TPU, and VM consumption with flex-start provisioning mode"
// (concepts/provisioning-model), limitations, read 2026-09.
std::optional<Error> no_flex_start(const NodePool& pool, const PoolOptions& options) {
  if (!options.flex_start || pool.slice.generation->flex_start) return std::nullopt;
  return bad_value(
      fmt::format("--flex-start does not exist for {}: GKE offers it "
                  "from v5e on",
                  pool.slice.accelerator));
}

// "ct6e-standard-4t and tpu7x-standard-4t": machines with several network cards.
std::string dranet_machines() {
  std::vector<std::string_view> names;
  for (const topology::Generation& generation : topology::generations())
    for (const topology::MachineType& machine : generation.machine_types)
      if (machine.dranet) names.push_back(machine.name);
  return fmt::format("{}", fmt::join(names, " and "));
}

// Of machines that no source uses it on nobody says that two more networks can be attached.
std::optional<Error> no_dranet(const NodePool& pool, const PoolOptions& options) {
  if (!options.dranet || pool.machine->dranet) return std::nullopt;
  return bad_value(fmt::format("--dranet: no source shows two more networks on {}, only on {}",
                               pool.machine->name, dranet_machines()));
}

// Blocks come from a reservation in All Capacity mode (docs/facts.md#dynamic-slices), of which no
// source says that it starts from zero nodes.
std::optional<Error> no_such_capacity(const PoolOptions& options) {
  const std::string_view flag = options.flex_start  ? "--flex-start"
                                : options.spot      ? "--spot"
                                : options.autoscale ? "--autoscale"
                                                    : "";
  if (flag.empty()) return std::nullopt;
  return bad_value(
      fmt::format("{} and --dynamic-slicing exclude each other: blocks are made whole, from "
                  "a reservation in All Capacity mode",
                  flag));
}

std::optional<Error> wrong_machine(const NodePool& pool) {
  const std::string_view only = pool.slice.generation->dynamic_slicing->machine_type;
  if (pool.machine->name == only) return std::nullopt;
  return bad_value(fmt::format("--dynamic-slicing: blocks are nodes of {}, not of {}", only,
                               pool.machine->name));
}

std::optional<Error> no_dynamic_slice(const NodePool& pool, const PoolOptions& options) {
  if (!options.dynamic_slicing) return std::nullopt;
  const auto made_of = topology::layout::blocks_of(*pool.slice.generation, pool.slice.dims);
  if (!made_of) return made_of.error();
  if (auto error = wrong_machine(pool)) return error;
  return no_such_capacity(options);
}

Error wrong_nodes_of_block(const topology::layout::Blocks& made_of, const PoolOptions& options) {
  return bad_value(
      fmt::format("--num-nodes {} does not form a block: with --dynamic-slicing a node pool "
                  "is {} of {}",
                  *options.num_nodes, made_of.block.text(), base::counted(made_of.nodes, "node")));
}

std::optional<Error> wrong_num_nodes(const NodePool& pool, const PoolOptions& options) {
  const std::uint64_t nodes = nodes_of_pool(pool, options);
  if (!options.num_nodes || *options.num_nodes == nodes) return std::nullopt;
  if (const auto made_of = blocks(pool, options)) return wrong_nodes_of_block(*made_of, options);
  const auto& slice = pool.slice;
  const auto made =
      fmt::format("{} ({}) on {} with {} is {}", slice.dims.text(),
                  base::counted(slice.chips, "chip"), pool.machine->name,
                  base::counted(slice.chips_per_host, "chip"), base::counted(slice.hosts, "node"));
  const std::string slices = options.slices == 1 || slice.multi_host()
                                 ? ""
                                 : fmt::format(", {} slices are {} nodes", options.slices, nodes);
  return bad_value(fmt::format("--num-nodes {} does not form the topology: {}{}",
                               *options.num_nodes, made, slices));
}

}  // namespace

bool PoolOptions::is_default() const {
  return !flex_start && !spot && reservation.empty() && !autoscale && !dranet && !dynamic_slicing &&
         slices == 1 && !num_nodes;
}

bool is_reservation(std::string_view text) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/";
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

std::string_view reservation_name(std::string_view reservation) {
  constexpr std::string_view folder = "reservations/";
  const auto at = reservation.find(folder);
  if (at != std::string_view::npos) reservation.remove_prefix(at + folder.size());
  return reservation.substr(0, reservation.find('/'));
}

std::optional<topology::layout::Blocks> blocks(const NodePool& pool, const PoolOptions& options) {
  if (!options.dynamic_slicing) return std::nullopt;
  const auto made_of = topology::layout::blocks_of(*pool.slice.generation, pool.slice.dims);
  return made_of ? std::optional(*made_of) : std::nullopt;
}

std::uint64_t nodes_of_pool(const NodePool& pool, const PoolOptions& options) {
  if (const auto made_of = blocks(pool, options)) return made_of->nodes;
  if (pool.slice.multi_host()) return pool.slice.hosts;
  return options.slices_each == 0 ? options.slices : std::min(options.slices_each, options.slices);
}

std::uint32_t pool_count(const NodePool& pool, const PoolOptions& options) {
  if (const auto made_of = blocks(pool, options)) return made_of->count_for(options.slices);
  if (pool.slice.multi_host()) return options.slices;
  if (options.slices_each == 0) return 1;
  return options.slices / options.slices_each + (options.slices % options.slices_each != 0);
}

std::optional<Error> complaint(const NodePool& pool, const PoolOptions& options) {
  if (auto error = two_ways_to_pay(options)) return error;
  if (auto error = no_flex_start(pool, options)) return error;
  if (auto error = no_dranet(pool, options)) return error;
  if (auto error = no_dynamic_slice(pool, options)) return error;
  return wrong_num_nodes(pool, options);
}

}  // namespace tpuwh::server::catalog
