#include "topology/catalog.hpp"

#include "catalog_rows.hpp"  // generated; see scripts/generate_catalog.py

#include <algorithm>
#include <array>
#include <string>

namespace tpuwh::topology {
namespace {

// Returns whether a slice with these dimensions consists of whole cubes: three axes in ascending
// order, each a multiple of the cube's edge, with at most max_slice_chips chips. Only v4, v5p, tpu7
// and tpu7x have cubes. The catalog has rows for only some of these shapes.
bool follows_cube_rule(const Generation& generation, const Dims& dims) {
  const std::uint32_t axis = generation.cube_axis;
  return axis != 0 && dims.rank() == 3 && dims.divisible_by(Dims(axis, axis, axis)) &&
         dims.nondecreasing() && dims.chips() <= generation.max_slice_chips;
}

// Returns whether the catalog has a row with these dimensions for the machine type. The rows are in
// ascending order of chips. The search is binary, because each review calls this function and tpu7x
// has 98 rows.
bool has_row(const MachineType& machine, const Dims& dims) {
  const auto chips = [](const Topology& row) { return row.dims.chips(); };
  auto row = std::ranges::lower_bound(machine.topologies, dims.chips(), {}, chips);
  for (; row != machine.topologies.end() && chips(*row) == dims.chips(); ++row) {
    if (row->dims == dims) return true;
  }
  return false;
}

// Returns the sizes of the three axes in ascending order. If there are only two dimensions, the
// first size is 1.
std::array<std::uint32_t, 3> sorted_axes(const Dims& dims) {
  std::array axes{dims.axis(0), dims.axis(1), dims.axis(2)};
  std::ranges::sort(axes);
  return axes;
}

// Returns the dimensions of the first catalog row of the generation that satisfies the predicate
// `is`.
template <class Is>
std::optional<Dims> find_row(const Generation& generation, Is&& is) {
  for (const MachineType& machine : generation.machine_types)
    if (const auto row = std::ranges::find_if(machine.topologies, is);
        row != machine.topologies.end())
      return row->dims;
  return std::nullopt;
}

std::string cube_shapes(const Generation& generation) {
  return "A<=B<=C in multiples of " + std::to_string(generation.cube_axis) + " up to " +
         std::to_string(generation.max_slice_chips) + " chips";
}

}  // namespace

std::span<const Generation> generations() {
  return rows::generations;
}

std::span<const Announced> announced() {
  return rows::announced;
}

std::span<const Source> sources() {
  return rows::sources;
}

const Generation* find_generation(std::string_view label) {
  const auto* row = std::ranges::find(rows::generations, label, &Generation::label);
  return row == std::ranges::end(rows::generations) ? nullptr : row;
}

const Traits& traits_of(std::string_view label) {
  static constexpr Traits of_others;
  const auto* row = std::ranges::find_if(rows::generations, [&](const Generation& each) {
    return label.starts_with(each.label) &&
           (label.size() == each.label.size() || label[each.label.size()] == '-');
  });
  return row == std::ranges::end(rows::generations) ? of_others : row->traits;
}

std::string labels_of(bool (*has)(const Generation&)) {
  std::string labels;
  for (const Generation& row : rows::generations)
    if (has(row)) labels += (labels.empty() ? "" : " or ") + std::string(row.label);
  return labels;
}

bool is_known(const Generation& generation, const Dims& dims, std::uint32_t chips_per_vm) {
  if (chips_per_vm == generation.cube_chips_per_vm && follows_cube_rule(generation, dims)) {
    return true;
  }
  return std::ranges::any_of(generation.machine_types, [&](const MachineType& machine) {
    return machine.chips_per_vm == chips_per_vm && has_row(machine, dims);
  });
}

std::size_t chips_per_vm_of(const Generation& generation, const Dims& dims,
                            std::span<std::uint32_t, 4> out) {
  std::size_t count = 0;
  for (const MachineType& machine : generation.machine_types) {
    // Machine types ascend by chips, so twins (tpu7x-standard-4t, -ultranet-4t) are neighbours.
    const bool seen = count > 0 && out[count - 1] == machine.chips_per_vm;
    if (seen || count == out.size()) continue;
    if (is_known(generation, dims, machine.chips_per_vm)) out[count++] = machine.chips_per_vm;
  }
  return count;
}

std::string legal_shapes(const Generation& generation, std::uint32_t chips_per_vm) {
  const auto machine =
      std::ranges::find(generation.machine_types, chips_per_vm, &MachineType::chips_per_vm);
  if (machine == generation.machine_types.end()) return {};

  const bool has_cubes = generation.cube_axis != 0 && chips_per_vm == generation.cube_chips_per_vm;
  const Dims cube(generation.cube_axis, generation.cube_axis, generation.cube_axis);
  std::string result;
  for (const Topology& row : machine->topologies) {
    if (has_cubes && row.dims.divisible_by(cube)) continue;  // described below
    if (!result.empty()) result += ", ";
    result += row.dims.text();
  }
  return has_cubes ? result + " and " + cube_shapes(generation) : result;
}

std::optional<Dims> nearest_topology(const Generation& generation, const Dims& dims) {
  const auto axes = sorted_axes(dims);
  const Dims sorted = dims.rank() == 2 ? Dims(axes[1], axes[2]) : Dims(axes[0], axes[1], axes[2]);
  if (is_known(generation, sorted, generation.cube_chips_per_vm)) return sorted;
  if (const auto turned = find_row(generation, [&](const Topology& row) {
        return row.dims.rank() == dims.rank() && sorted_axes(row.dims) == axes;
      }))
    return turned;
  return find_row(generation,
                  [&](const Topology& row) { return row.dims.chips() == dims.chips(); });
}

std::optional<Dims> nearest_topology(const Generation& generation, std::string_view type) {
  const std::string full = std::string(generation.type_prefix) + '-' + std::string(type);
  return find_row(generation, [&](const Topology& row) {
    return row.accelerator_type == type || row.accelerator_type == full;
  });
}

std::span<const Dims> sub_slice_shapes() {
  return rows::sub_slice_shapes;
}

bool is_sub_slice_shape(const Dims& dims) {
  return std::ranges::find(rows::sub_slice_shapes, dims) !=
         std::ranges::end(rows::sub_slice_shapes);
}

std::optional<MachineSize> size_of(std::string_view machine_type) {
  const auto* found = std::ranges::find(rows::machine_sizes, machine_type, &MachineSize::name);
  return found == std::end(rows::machine_sizes) ? std::nullopt : std::optional(*found);
}

}  // namespace tpuwh::topology
