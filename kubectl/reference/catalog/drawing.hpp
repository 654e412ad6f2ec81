// A slice drawn as SVG: every chip and host, layer beside layer. What svg.hpp is made of, and the
// pictures of `explain`.
#pragma once

#include "kubectl/print/markup.hpp"
#include "topology/layout/grid.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tpuwh::server::catalog {

// Pixels of the drawing's own scale.
struct Size {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

// Elements of SVG, of the classes t (title), h (host) and c (chip), and the room they take.
struct Drawing {
  print::Markup elements;
  Size size;

  // Another one below.
  void append(const Drawing& below);
};

// What is written of a host.
struct HostWords {
  print::Markup id;             // in its box
  print::Markup title;          // where a mouse rests on it
  std::string more_class = "";  // beside h
};
HostWords by_worker_id(std::uint32_t worker);  // "3", "worker 3"

struct SliceDrawing {
  const topology::layout::HostGrid& grid;
  unsigned rank = 3;
  print::Markup title = {};  // above it; "" for none and no room for it
  std::function<HostWords(std::uint32_t worker)> words = by_worker_id;
  std::uint32_t widest = 1200;             // pixels, if one layer is no wider
  std::uint32_t most_hosts = 0xffff'ffff;  // of the layers drawn, but for the first
};

// `top`: what is above it.
Drawing draw(const SliceDrawing& slice, std::uint32_t top);

// How many layers that is, of grid.hosts()[2].
std::uint32_t layers_drawn(const SliceDrawing& slice);

// A file of its own, light and dark, with no fonts or files beside it. `more_style`: of the classes
// that HostWords added.
std::string svg_file(const Drawing& drawing, std::string_view more_style = {});

}  // namespace tpuwh::server::catalog
