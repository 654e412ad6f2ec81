#include "kubectl/reference/catalog/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tpuwh::server::catalog {

namespace {

using topology::layout::HostGrid;

constexpr std::uint32_t chip = 16, pitch = 24;  // a chip, and from one to the next
constexpr std::uint32_t head = 18;              // of a host, for its worker id
constexpr std::uint32_t gap = 8;                // around hosts
constexpr std::uint32_t title_height = 28, title_width = 420, layer_title = 20;

constexpr auto style = R"(text{font:12px sans-serif;fill:#202124}
.t{font-size:14px;font-weight:600}
.h{fill:#f1f3f4;stroke:#80868b}
.c{fill:#1a73e8}
@media (prefers-color-scheme:dark){text{fill:#e8eaed}.h{fill:#303134;stroke:#9aa0a6}.c{fill:#8ab4f8}}
)";

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

std::string host(const HostGrid& grid, const HostWords& words, std::uint32_t left,
                 std::uint32_t top) {
  const Size size = host_size(grid);
  std::string out = fmt::format(
      "<g><title>{}</title><rect class=\"h{}{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
      "rx=\"4\"/><text x=\"{}\" y=\"{}\">{}</text>\n",
      words.title.text(), words.more_class.empty() ? "" : " ", words.more_class, left, top,
      size.width, size.height, left + gap, top + 13, words.id.text());
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

std::string layer(const SliceDrawing& slice, std::uint32_t z, std::uint32_t left,
                  std::uint32_t top) {
  const HostGrid& grid = slice.grid;
  std::string out;
  if (slice.rank == 3)
    out = fmt::format("<text x=\"{}\" y=\"{}\">z={}</text>\n", left + gap, top + 14, z);
  const Size size = host_size(grid);
  for (std::uint32_t x = 0; x < grid.hosts()[0]; ++x) {
    for (std::uint32_t y = 0; y < grid.hosts()[1]; ++y) {
      out += host(grid, slice.words(grid.worker_at({x, y, z})), left + gap + y * (size.width + gap),
                  top + layer_title + x * (size.height + gap));
    }
  }
  return out;
}

}  // namespace

void Drawing::append(const Drawing& below) {
  elements += below.elements;
  size = {std::max(size.width, below.size.width), size.height + below.size.height};
}

HostWords by_worker_id(std::uint32_t worker) {
  return {.id = print::escaped(std::to_string(worker)),
          .title = print::escaped(fmt::format("worker {}", worker))};
}

std::uint32_t layers_drawn(const SliceDrawing& slice) {
  const std::uint32_t of_layer = slice.grid.hosts()[0] * slice.grid.hosts()[1];
  return std::clamp(slice.most_hosts / of_layer, 1u, slice.grid.hosts()[2]);
}

Drawing draw(const SliceDrawing& slice, std::uint32_t top) {
  std::string elements;
  const std::uint32_t above = slice.title.empty() ? 0 : title_height;
  if (above > 0)
    elements = fmt::format("<text class=\"t\" x=\"{}\" y=\"{}\">{}</text>\n", gap, top + 19,
                           slice.title.text());
  const Size each = layer_size(slice.grid);
  const std::uint32_t layers = layers_drawn(slice);
  const std::uint32_t per_row = std::clamp(slice.widest / each.width, 1u, layers);
  for (std::uint32_t z = 0; z < layers; ++z) {
    elements += layer(slice, z, z % per_row * each.width, top + above + z / per_row * each.height);
  }
  const std::uint32_t rows = (layers + per_row - 1) / per_row;
  return {.elements = print::Markup::trusted(std::move(elements)),
          .size = {std::max(per_row * each.width, above > 0 ? title_width : 0u),
                   above + rows * each.height}};
}

std::string svg_file(const Drawing& drawing, std::string_view more_style) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\" role=\"img\">\n<style>\n{2}{3}</style>\n{4}</svg>\n",
      drawing.size.width, drawing.size.height, style, more_style, drawing.elements.text());
}

}  // namespace tpuwh::server::catalog
