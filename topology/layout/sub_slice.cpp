#include "topology/layout/sub_slice.hpp"

#include "topology/catalog.hpp"
#include "topology/layout/grid.hpp"

#include <algorithm>

namespace tpuwh::topology::layout {

std::vector<Dims> sub_slice_shapes_of(const Dims& slice, std::uint32_t chips_per_host) {
  std::vector<Dims> result;
  for (const Dims& part : sub_slice_shapes()) {
    if (part != slice && sub_slices(slice, chips_per_host, part)) result.push_back(part);
  }
  std::ranges::stable_sort(result, {}, &Dims::chips);
  return result;
}

std::optional<std::uint32_t> sub_slices(const Dims& slice, std::uint32_t chips_per_host,
                                        const Dims& part) {
  if (part.rank() != slice.rank() || !slice.divisible_by(part)) return std::nullopt;
  if (!host_grid(slice, chips_per_host) || !host_grid(part, chips_per_host)) return std::nullopt;
  return static_cast<std::uint32_t>(slice.chips() / part.chips());
}

}  // namespace tpuwh::topology::layout
