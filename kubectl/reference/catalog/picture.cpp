#include "kubectl/reference/catalog/picture.hpp"

#include "kubectl/text/ink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tpuwh::server::catalog {

namespace {

using topology::layout::HostGrid;

constexpr std::size_t widest = 100;  // columns; a common terminal has 80 to 120
constexpr std::uint32_t most_hosts = 64;
constexpr std::size_t margin = 5;  // for the x of a row

struct Layer {
  std::vector<std::string> lines;
  std::size_t width = 0;  // columns; bytes say nothing with ■ and colours
};

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

// Draws one layer of hosts: boxes, row by row.
class Boxes {
 public:
  Boxes(const HostGrid& grid, std::uint32_t z, bool colour) : grid_(grid), z_(z), colour_(colour) {}

  Layer draw(std::string title) const {
    Layer layer{.lines = {}, .width = width(grid_)};
    layer.lines.push_back(pad(std::move(title), layer.width));
    layer.lines.push_back(column_numbers());
    for (std::uint32_t x = 0; x < grid_.hosts()[0]; ++x) {
      layer.lines.push_back(top(x));
      for (std::uint32_t i = 0; i < chips(0); ++i) layer.lines.push_back(chip_row(x, i));
      layer.lines.push_back(bottom());
    }
    return layer;
  }

  static std::size_t width(const HostGrid& grid) {
    return margin + grid.hosts()[1] * (inner(grid) + 2);
  }

 private:
  // Three columns for each chip, two at the end.
  static std::size_t inner(const HostGrid& grid) { return 3 * grid.chips_per_host()[1] + 2; }
  static std::string pad(std::string text, std::size_t width) {
    return text + std::string(width - std::min(width, text.size()), ' ');
  }

  std::uint32_t chips(unsigned axis) const { return grid_.chips_per_host()[axis]; }

  std::string column_numbers() const {
    std::string line(margin, ' ');
    for (std::uint32_t y = 0; y < grid_.hosts()[1]; ++y) {
      line += ' ';
      for (std::uint32_t i = 0; i < chips(1); ++i) line += fmt::format("{:>3}", y * chips(1) + i);
      line += "   ";
    }
    return line;
  }

  std::string top(std::uint32_t x) const {
    std::string line(margin, ' ');
    for (std::uint32_t y = 0; y < grid_.hosts()[1]; ++y) {
      const std::string id = std::to_string(grid_.worker_at({x, y, z_}));
      line += "┌ " + text::paint(id, text::Ink::bold, colour_) + ' ' +
              repeated("─", inner(grid_) - 2 - id.size()) + "┐";
    }
    return line;
  }

  std::string bottom() const {
    const std::string box = "└" + repeated("─", inner(grid_)) + "┘";
    return std::string(margin, ' ') + repeated(box, grid_.hosts()[1]);
  }

  std::string chip_row(std::uint32_t x, std::uint32_t row) const {
    std::string line = fmt::format("{:>4} ", x * chips(0) + row);
    for (std::uint32_t y = 0; y < grid_.hosts()[1]; ++y) {
      const text::Ink ink = (x + y + z_) % 2 == 0 ? text::Ink::blue : text::Ink::cyan;
      line += "│  " + text::paint("■", ink, colour_) +
              repeated("  " + text::paint("■", ink, colour_), chips(1) - 1) + "  │";
    }
    return line;
  }

  const HostGrid& grid_;
  std::uint32_t z_;
  bool colour_;
};

// Worker ids alone, for a layer too wide for boxes.
Layer ids(const HostGrid& grid, std::uint32_t z, std::string title) {
  Layer layer{.lines = {std::move(title)}, .width = 0};
  const std::size_t digits = std::to_string(grid.size() - 1).size();
  for (std::uint32_t x = 0; x < grid.hosts()[0]; ++x) {
    std::string line(margin - 1, ' ');
    for (std::uint32_t y = 0; y < grid.hosts()[1]; ++y) {
      line += fmt::format(" {:>{}}", grid.worker_at({x, y, z}), digits);
    }
    layer.lines.push_back(line);
  }
  layer.width = margin + grid.hosts()[1] * (digits + 1);
  return layer;
}

void append_trimmed(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

// As many as fit beside each other; the lines of a layer are equally wide but for the last
// of a row, so only colours need no counting.
std::string side_by_side(const std::vector<Layer>& layers) {
  std::string out;
  const std::size_t per_row = std::max<std::size_t>(1, widest / (layers.front().width + 1));
  for (std::size_t first = 0; first < layers.size(); first += per_row) {
    const std::size_t end = std::min(first + per_row, layers.size());
    for (std::size_t line = 0; line < layers[first].lines.size(); ++line) {
      std::string text;
      for (std::size_t i = first; i < end; ++i) text += layers[i].lines[line] + ' ';
      append_trimmed(out, text);
    }
  }
  return out;
}

std::string legend(const HostGrid& grid, unsigned rank, bool boxes) {
  const auto& chips = grid.chips_per_host();
  const std::string axes = rank == 3 ? "x down, y right, z by layer" : "x down, y right";
  if (boxes) return fmt::format("■ chip; box: host with its worker id; {}\n", axes);
  return fmt::format("each number is the worker id of a host of {}x{} chips; {}\n", chips[0],
                     chips[1], axes);
}

std::string other_layers(const HostGrid& grid, std::uint32_t drawn) {
  const std::uint32_t all = grid.hosts()[2];
  if (drawn == all) return {};
  const std::uint32_t step = grid.hosts()[0] * grid.hosts()[1];
  return fmt::format(
      "z=1 to z={} look the same: worker ids grow by {} from each to the next, "
      "up to {}\n",
      all - 1, step, grid.size() - 1);
}

}  // namespace

std::string picture(const HostGrid& grid, unsigned rank, bool colour) {
  const bool boxes = Boxes::width(grid) <= widest;
  const bool whole = rank == 2 || grid.size() <= most_hosts;
  const std::uint32_t drawn = whole ? grid.hosts()[2] : 1;
  std::vector<Layer> layers;
  for (std::uint32_t z = 0; z < drawn; ++z) {
    const std::string title = rank == 3 ? fmt::format("z={}", z) : "";
    layers.push_back(boxes ? Boxes(grid, z, colour).draw(title) : ids(grid, z, title));
  }
  return legend(grid, rank, boxes) + side_by_side(layers) + other_layers(grid, drawn);
}

}  // namespace tpuwh::server::catalog
