#include "topology/layout/blocks.hpp"

#include "base/counted.hpp"
#include "base/result.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace tpuwh::topology::layout {
namespace {

std::string part_names(const DynamicSlicing& slicing) {
  std::string names;
  for (const Dims& part : slicing.parts) names += (names.empty() ? "" : ", ") + part.text();
  return names;
}

Error refused(const Dims& dims, const std::string& why) {
  return bad_value(dims.text() + " is not a dynamic slice: " + why);
}

Error no_dynamic_slicing(const Generation& generation, const Dims& dims) {
  const std::string labels =
      labels_of([](const Generation& each) { return each.dynamic_slicing != nullptr; });
  return refused(dims, "only " + labels + " has dynamic slicing, " + std::string(generation.label) +
                           " has node pools of fixed topologies");
}

// Each axis up to the next multiple, in ascending order; nothing where that is no slice either.
std::string did_you_mean(const Generation& generation, const Dims& dims) {
  const std::uint32_t edge = generation.dynamic_slicing->block.axis(0);
  std::array<std::uint32_t, 3> axes{};
  for (unsigned i = 0; i < axes.size(); ++i) axes[i] = (dims.axis(i) + edge - 1) / edge * edge;
  std::ranges::sort(axes);
  const Dims right(axes[0], axes[1], axes[2]);
  return right.chips() > generation.max_slice_chips ? "" : "; did you mean " + right.text() + '?';
}

Error not_of_cubes(const Generation& generation, const Dims& dims) {
  const DynamicSlicing& slicing = *generation.dynamic_slicing;
  return refused(dims, "each dimension is a multiple of " + std::to_string(slicing.block.axis(0)) +
                           " (blocks of " + slicing.block.text() +
                           "), or the slice is a part of one block: " + part_names(slicing) +
                           did_you_mean(generation, dims));
}

Error too_large(const Generation& generation, const Dims& dims) {
  return refused(dims, base::counted(dims.chips(), "chip") + " are more than the " +
                           std::to_string(generation.max_slice_chips) +
                           " of the largest slice of " + std::string(generation.label));
}

Bounds blocks_along(const Dims& dims, std::uint32_t edge) {
  return {dims.axis(0) / edge, dims.axis(1) / edge, dims.axis(2) / edge};
}

}  // namespace

std::uint32_t Blocks::count_for(std::uint32_t slices) const {
  return shared() ? (slices + per_block - 1) / per_block : count() * slices;
}

Result<Blocks> blocks_of(const Generation& generation, const Dims& dims) {
  if (generation.dynamic_slicing == nullptr) return no_dynamic_slicing(generation, dims);
  const DynamicSlicing& slicing = *generation.dynamic_slicing;
  const Dims& cube = slicing.block;
  if (dims.rank() != 3) return refused(dims, "it has three dimensions, such as " + cube.text());
  if (std::ranges::find(slicing.parts, dims) != slicing.parts.end()) {
    const auto per_block = static_cast<std::uint32_t>(cube.chips() / dims.chips());
    return Blocks{cube, slicing.nodes, {1, 1, 1}, per_block};
  }
  if (!dims.divisible_by(cube)) return not_of_cubes(generation, dims);
  if (!dims.nondecreasing()) {
    return refused(
        dims, "no dimension is smaller than the one before it" + did_you_mean(generation, dims));
  }
  if (dims.chips() > generation.max_slice_chips) return too_large(generation, dims);
  return Blocks{cube, slicing.nodes, blocks_along(dims, cube.axis(0)), 1};
}

}  // namespace tpuwh::topology::layout
