#include "topology/layout/grid.hpp"

namespace tpuwh::topology::layout {
namespace {

Coord place(std::uint32_t index, const Bounds& bounds) {
  return {index % bounds[0], index / bounds[0] % bounds[1], index / bounds[0] / bounds[1]};
}

}  // namespace

Coord HostGrid::host_of(std::uint32_t worker) const {
  return place(worker, hosts_);
}

std::uint32_t HostGrid::worker_at(const Coord& host) const {
  return host[0] + hosts_[0] * (host[1] + hosts_[1] * host[2]);
}

Coord HostGrid::first_chip(std::uint32_t worker) const {
  Coord chip = host_of(worker);
  for (std::size_t axis = 0; axis < chip.size(); ++axis) chip[axis] *= chips_per_host_[axis];
  return chip;
}

std::vector<Coord> HostGrid::chips_of(std::uint32_t worker) const {
  const Coord first = first_chip(worker);
  const std::uint32_t count = chips_per_host_[0] * chips_per_host_[1] * chips_per_host_[2];
  std::vector<Coord> result;
  result.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Coord within = place(i, chips_per_host_);
    result.push_back({first[0] + within[0], first[1] + within[1], first[2] + within[2]});
  }
  return result;
}

std::optional<HostGrid> host_grid(const Dims& dims, std::uint32_t chips_per_host) {
  const Bounds chips = bounds_of_chips(chips_per_host);
  if (!dims.divisible_by(Dims(chips[0], chips[1], chips[2]))) return std::nullopt;
  return HostGrid({dims.axis(0) / chips[0], dims.axis(1) / chips[1], dims.axis(2) / chips[2]},
                  chips);
}

}  // namespace tpuwh::topology::layout
