#include "kubectl/reference/catalog/svg.hpp"

#include "kubectl/reference/catalog/drawing.hpp"
#include "topology/layout/grid.hpp"

#include <fmt/format.h>

namespace tpuwh::server::catalog {

namespace {

using topology::layout::NodePool;

print::Markup title(const NodePool& pool) {
  const auto& slice = pool.slice;
  return print::escaped(fmt::format("{} of {}: {} x {}, {}", slice.dims.text(), slice.accelerator,
                                    slice.hosts, pool.machine->name, slice.accelerator_type()));
}

}  // namespace

std::string svg(std::span<const NodePool> pools) {
  Drawing all;
  for (const NodePool& pool : pools) {
    const auto grid = topology::layout::host_grid(pool.slice.dims, pool.slice.chips_per_host);
    if (!grid) continue;  // no machine type has chips that nobody lays out
    all.append(draw({.grid = *grid, .rank = pool.slice.dims.rank(), .title = title(pool)},
                    all.size.height));
  }
  return svg_file(all);
}

}  // namespace tpuwh::server::catalog
