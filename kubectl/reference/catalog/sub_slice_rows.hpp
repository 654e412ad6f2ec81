// The sub-slices of a slice as rows of a table.
#pragma once

#include "topology/layout/sub_slice.hpp"
#include "topology/slice.hpp"

#include <cstdint>
#include <vector>

namespace tpuwh::server::catalog {

struct SubSliceRow {
  topology::Dims dims;
  std::uint32_t count;       // in the whole slice
  std::uint32_t nodes_each;  // hosts of one
};

// Empty for v3, whose nodes carry no sub-slice ids (docs/facts.md#sub-slice-ids).
inline std::vector<SubSliceRow> sub_slice_rows(const topology::Slice& slice) {
  std::vector<SubSliceRow> rows;
  if (slice.generation == nullptr || slice.generation->type_prefix == "v3") return rows;
  for (const auto& dims : topology::layout::sub_slice_shapes_of(slice.dims, slice.chips_per_host)) {
    const auto count = topology::layout::sub_slices(slice.dims, slice.chips_per_host, dims);
    const auto nodes_each = static_cast<std::uint32_t>(dims.chips()) / slice.chips_per_host;
    if (count) rows.push_back({dims, *count, nodes_each});
  }
  return rows;
}

}  // namespace tpuwh::server::catalog
