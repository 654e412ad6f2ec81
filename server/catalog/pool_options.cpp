#include "server/catalog/pool_options.hpp"

#include "topology/counted.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace tpuwh::server::catalog {

namespace {

using topology::NodePool;

// Three ways to pay for a node; it is had by one of them.
std::optional<Error> two_ways_to_pay(const PoolOptions& options) {
  std::vector<std::string_view> ways;
  if (options.flex_start) ways.push_back("--flex-start");
  if (options.spot) ways.push_back("--spot");
  if (!options.reservation.empty()) ways.push_back("--reservation");
  if (ways.size() < 2) return std::nullopt;
  return Error(Errc::bad_value,
               fmt::format("{} and {} exclude each other: a node is reserved, Spot, or provisioned "
                           "by flex-start",
                           ways[0], ways[1]));
}

// GKE, "About GPU, TPU, and VM consumption with flex-start provisioning mode"
// (concepts/provisioning-model), limitations, read 2026-09.
std::optional<Error> no_flex_start(const NodePool& pool, const PoolOptions& options) {
  const std::string_view prefix = pool.slice.generation->type_prefix;
  const bool is_old = prefix.starts_with("v3") || prefix.starts_with("v4");
  if (!options.flex_start || !is_old) return std::nullopt;
  return Error(Errc::bad_value, fmt::format("--flex-start does not exist for {}: GKE offers it "
                                            "from v5e on",
                                            pool.slice.accelerator));
}

// The sources that show it use ct6e-standard-4t and tpu7x-standard-4t, machines with
// several network cards. Of others nobody says that two more networks can be attached.
std::optional<Error> no_dranet(const NodePool& pool, const PoolOptions& options) {
  const std::string_view name = pool.machine->name;
  if (!options.dranet || name == "ct6e-standard-4t" || name == "tpu7x-standard-4t") {
    return std::nullopt;
  }
  return Error(Errc::bad_value,
               fmt::format("--dranet: no source shows two more networks on {}, only on "
                           "ct6e-standard-4t and tpu7x-standard-4t",
                           name));
}

std::optional<Error> wrong_num_nodes(const NodePool& pool, const PoolOptions& options) {
  const std::uint64_t nodes = nodes_of_pool(pool, options);
  if (!options.num_nodes || *options.num_nodes == nodes) return std::nullopt;
  const auto& slice = pool.slice;
  const auto made = fmt::format("{} ({}) on {} with {} is {}", slice.dims.text(),
                                topology::counted(slice.chips, "chip"), pool.machine->name,
                                topology::counted(slice.chips_per_host, "chip"),
                                topology::counted(slice.hosts, "node"));
  const std::string slices = options.slices == 1 || slice.multi_host()
                                 ? ""
                                 : fmt::format(", {} slices are {} nodes", options.slices, nodes);
  return Error(Errc::bad_value, fmt::format("--num-nodes {} does not form the topology: {}{}",
                                            *options.num_nodes, made, slices));
}

}  // namespace

bool PoolOptions::is_default() const {
  return !flex_start && !spot && reservation.empty() && !autoscale && !dranet && slices == 1 &&
         !num_nodes;
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

std::uint64_t nodes_of_pool(const NodePool& pool, const PoolOptions& options) {
  return pool.slice.multi_host() ? pool.slice.hosts : options.slices;
}

std::uint32_t pool_count(const NodePool& pool, const PoolOptions& options) {
  return pool.slice.multi_host() ? options.slices : 1;
}

std::optional<Error> complaint(const NodePool& pool, const PoolOptions& options) {
  if (auto error = two_ways_to_pay(options)) return error;
  if (auto error = no_flex_start(pool, options)) return error;
  if (auto error = no_dranet(pool, options)) return error;
  return wrong_num_nodes(pool, options);
}

}  // namespace tpuwh::server::catalog
