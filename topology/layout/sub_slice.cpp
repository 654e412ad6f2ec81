#include "topology/layout/sub_slice.hpp"

#include "topology/catalog.hpp"

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

std::optional<SubSlices> sub_slices(const Dims& slice, std::uint32_t chips_per_host,
                                    const Dims& part) {
  if (part.rank() != slice.rank() || !slice.divisible_by(part)) return std::nullopt;
  const auto hosts = host_grid(slice, chips_per_host);
  const auto each = host_grid(part, chips_per_host);
  if (!hosts || !each) return std::nullopt;
  const Bounds counts{slice.axis(0) / part.axis(0), slice.axis(1) / part.axis(1),
                      slice.axis(2) / part.axis(2)};
  return SubSlices(*hosts, counts, each->hosts());
}

Coord SubSlices::first_chip(std::uint32_t index) const {
  return hosts_.first_chip(hosts_.worker_at(boxes_.first_chip(index)));
}

std::vector<std::uint32_t> SubSlices::workers_of(std::uint32_t index) const {
  std::vector<std::uint32_t> result;
  for (const Coord& host : boxes_.chips_of(index)) result.push_back(hosts_.worker_at(host));
  return result;
}

std::uint32_t SubSlices::index_of_worker(std::uint32_t worker) const {
  return boxes_.worker_of_chip(hosts_.host_of(worker));
}

}  // namespace tpuwh::topology::layout
