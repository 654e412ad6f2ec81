#include "server/catalog/svg.hpp"

#include "topology/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::catalog {

namespace {

using topology::HostGrid;
using topology::NodePool;

// Pixels of the drawing's own scale.
constexpr std::uint32_t chip = 16, pitch = 24;  // a chip, and from one to the next
constexpr std::uint32_t head = 18;              // of a host, for its worker id
constexpr std::uint32_t gap = 8;                // around hosts
constexpr std::uint32_t title_height = 28, layer_title = 20;
constexpr std::uint32_t widest_image = 1200;

constexpr auto style = R"(<style>
text{font:12px sans-serif;fill:#202124}
.t{font-size:14px;font-weight:600}
.h{fill:#f1f3f4;stroke:#80868b}
.c{fill:#1a73e8}
@media (prefers-color-scheme:dark){text{fill:#e8eaed}.h{fill:#303134;stroke:#9aa0a6}.c{fill:#8ab4f8}}
</style>
)";

struct Size {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

// A host: its worker id above its chips. x of the slice runs down, y to the right.
Size host_size(const HostGrid& grid) {
  const auto& chips = grid.chips_per_host();
  return {chips[1] * pitch + gap, chips[0] * pitch + head + gap / 2};
}

Size layer_size(const HostGrid& grid) {
  const Size host = host_size(grid);
  return {grid.hosts()[1] * (host.width + gap) + gap,
          grid.hosts()[0] * (host.height + gap) + layer_title};
}

std::string host(const HostGrid& grid, std::uint32_t worker, std::uint32_t left,
                 std::uint32_t top) {
  const Size size = host_size(grid);
  std::string out = fmt::format(
      "<g><title>worker {}</title><rect class=\"h\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
      "rx=\"4\"/><text x=\"{}\" y=\"{}\">{}</text>\n",
      worker, left, top, size.width, size.height, left + gap, top + 13, worker);
  const auto& chips = grid.chips_per_host();
  for (std::uint32_t x = 0; x < chips[0]; ++x) {
    for (std::uint32_t y = 0; y < chips[1]; ++y) {
      out +=
          fmt::format("<rect class=\"c\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\"/>",
                      left + gap + y * pitch, top + head + x * pitch, chip, chip);
    }
  }
  return out + "</g>\n";
}

std::string layer(const HostGrid& grid, std::uint32_t z, bool titled, std::uint32_t left,
                  std::uint32_t top) {
  std::string out;
  if (titled) out = fmt::format("<text x=\"{}\" y=\"{}\">z={}</text>\n", left + gap, top + 14, z);
  const Size size = host_size(grid);
  for (std::uint32_t x = 0; x < grid.hosts()[0]; ++x) {
    for (std::uint32_t y = 0; y < grid.hosts()[1]; ++y) {
      out += host(grid, grid.worker_at({x, y, z}), left + gap + y * (size.width + gap),
                  top + layer_title + x * (size.height + gap));
    }
  }
  return out;
}

// Labels and machine types come from our own catalog and hold no character XML minds.
std::string title(const NodePool& pool, std::uint32_t top) {
  const auto& slice = pool.slice;
  return fmt::format("<text class=\"t\" x=\"{}\" y=\"{}\">{} of {}: {} x {}, {}</text>\n", gap,
                     top + 19, slice.dims.text(), slice.accelerator, slice.hosts,
                     pool.machine->name, slice.accelerator_type());
}

// Draws one slice below `top` and says how much room it took.
Size draw(const NodePool& pool, std::uint32_t top, std::string& out) {
  const auto grid = topology::host_grid(pool.slice.dims, pool.slice.chips_per_host);
  if (!grid) return {};  // no machine type has chips that nobody lays out
  out += title(pool, top);
  const Size each = layer_size(*grid);
  const std::uint32_t layers = grid->hosts()[2];
  const std::uint32_t per_row = std::clamp(widest_image / each.width, 1u, layers);
  for (std::uint32_t z = 0; z < layers; ++z) {
    out += layer(*grid, z, pool.slice.dims.rank() == 3, z % per_row * each.width,
                 top + title_height + z / per_row * each.height);
  }
  const std::uint32_t rows = (layers + per_row - 1) / per_row;
  return {std::max(per_row * each.width, 420u), title_height + rows * each.height};
}

}  // namespace

std::string svg(std::span<const NodePool> pools) {
  std::string body;
  Size all;
  for (const NodePool& pool : pools) {
    const Size size = draw(pool, all.height, body);
    all = {std::max(all.width, size.width), all.height + size.height};
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\" role=\"img\">\n{2}{3}</svg>\n",
      all.width, all.height, style, body);
}

}  // namespace tpuwh::server::catalog
