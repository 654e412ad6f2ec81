#include "topology/layout/node_pool.hpp"

#include "base/counted.hpp"
#include "base/result.hpp"

#include <algorithm>
#include <string>

namespace tpuwh::topology::layout {
namespace {

const Topology* find_row(const MachineType& machine, const Dims& dims) {
  const auto row = std::ranges::find(machine.topologies, dims, &Topology::dims);
  return row == machine.topologies.end() ? nullptr : &*row;
}

// "8 nodes of 4 chips (ct6e-standard-4t)"
std::string text(const NodePool& pool) {
  return base::counted(pool.slice.hosts, "node") + " of " +
         base::counted(pool.machine->chips_per_vm, "chip") + " (" +
         std::string(pool.machine->name) + ')';
}

std::string node_sizes(const Generation& generation) {
  std::string result;
  for (const MachineType& machine : generation.machine_types) {
    result += (result.empty() ? "" : ", ") + base::counted(machine.chips_per_vm, "chip") + " (" +
              std::string(machine.name) + ')';
  }
  return result;
}

Error no_such_node(const Generation& generation, std::uint32_t chips) {
  const MachineType* machine = smallest_machine(generation, chips);
  std::string advice;
  if (machine != nullptr) {
    advice = "; the smallest machine type with that many is " + std::string(machine->name) +
             "; its Pods ask for all " + std::to_string(machine->chips_per_vm);
  }
  return bad_value(std::string(generation.label) + " has no node of " +
                   base::counted(chips, "chip") + ", only of " + node_sizes(generation) + advice);
}

Error no_such_way(const Generation& generation, const Dims& dims, std::uint32_t chips) {
  std::string ways;
  for (const NodePool& pool : node_pools(generation, dims)) {
    ways += (ways.empty() ? "" : " or ") + text(pool);
  }
  const std::string made = ways.empty() ? "" : "; " + dims.text() + " is made of " + ways;
  return bad_value(dims.text() + " of " + std::string(generation.label) +
                   " is not made of nodes of " + base::counted(chips, "chip") + ", which support " +
                   legal_shapes(generation, chips) + made);
}

}  // namespace

std::vector<NodePool> node_pools(const Generation& generation, const Dims& dims) {
  std::vector<NodePool> result;
  for (const MachineType& machine : generation.machine_types) {
    if (!is_known(generation, dims, machine.chips_per_vm)) continue;
    const auto slice = make_slice({generation.label, dims, machine.chips_per_vm, 1});
    if (slice) result.push_back({&machine, find_row(machine, dims), *slice});
  }
  return result;
}

Result<NodePool> node_pool(const Generation& generation, const Dims& dims,
                           std::uint32_t chips_per_node) {
  for (const NodePool& pool : node_pools(generation, dims)) {
    if (pool.machine->chips_per_vm == chips_per_node) return pool;
  }
  const auto has_chips = [=](const MachineType& m) { return m.chips_per_vm == chips_per_node; };
  if (std::ranges::none_of(generation.machine_types, has_chips)) {
    return no_such_node(generation, chips_per_node);
  }
  const auto slice = make_slice({generation.label, dims, chips_per_node, 1});
  if (!slice) return slice.error();
  return no_such_way(generation, dims, chips_per_node);
}

std::optional<NodePool> find_node_pool(std::string_view accelerator, std::string_view topology,
                                       std::uint32_t chips_per_node) {
  const auto* generation = find_generation(accelerator);
  const auto dims = Dims::parse(topology);
  if (generation == nullptr || !dims) return std::nullopt;
  const auto pool = node_pool(*generation, *dims, chips_per_node);
  return pool ? std::optional(*pool) : std::nullopt;
}

const MachineType* smallest_machine(const Generation& generation, std::uint32_t chips) {
  const auto machines = generation.machine_types;  // ascending
  const auto found = std::ranges::find_if(
      machines, [=](const MachineType& machine) { return machine.chips_per_vm >= chips; });
  return found == machines.end() ? nullptr : &*found;
}

}  // namespace tpuwh::topology::layout
