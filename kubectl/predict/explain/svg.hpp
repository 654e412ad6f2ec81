// The chips and hosts of what was explained, as SVG: hosts carry their worker ids, and the names of
// their Pods where a mouse rests on them.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/reference/catalog/drawing.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tpuwh::server::explain {

// Every group of which the shape is known, one below the other. Standalone; text of manifests is
// escaped. Slices of a group look the same, so of many the first is drawn and counted.
std::string svg(const Explanation& explanation);

struct SlicePicture {
  const Slice* slice;
  catalog::Drawing drawing;
  std::uint32_t layers, layers_drawn;  // along z
  bool flat;                           // of two dimensions
};

struct PictureLook {
  std::uint32_t most_hosts;  // of a slice with more only the first layers
  std::uint32_t widest;      // pixels, if one layer is no wider
  bool titled;               // each with a title above
};

// The slices of one group that are drawn: all of a few, else the first. Empty where no layout of
// its chips is known.
std::vector<SlicePicture> pictures_of(const Group& group, const PictureLook& look);

// Of hosts that no Pod is.
inline constexpr auto missing_host = "m";

}  // namespace tpuwh::server::explain
