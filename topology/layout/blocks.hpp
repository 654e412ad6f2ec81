// Dynamic slicing: slices that are put together from blocks, not made as a node pool.
//
// A block is a cube of chips and one node pool. Large slices take whole blocks; small ones are a
// part of one block, which several of them share.
//
//   source  docs/facts.md#dynamic-slices
#pragma once

#include "base/result.hpp"
#include "topology/catalog.hpp"
#include "topology/dims.hpp"
#include "topology/slice.hpp"

#include <cstdint>

namespace tpuwh::topology::layout {

struct Blocks {
  Dims block;               // 4x4x4, in chips
  std::uint32_t nodes;      // of one block: 16
  Bounds along;             // blocks of a slice along each axis; 1,1,1 for a part of one
  std::uint32_t per_block;  // slices that fill one block; 1 where a slice takes whole blocks

  std::uint32_t count() const { return along[0] * along[1] * along[2]; }  // blocks of a slice
  bool shared() const { return per_block > 1; }
  // Blocks of so many equal slices.
  std::uint32_t count_for(std::uint32_t slices) const;
};

// The blocks that a slice of `dims` is made of.
//
//   errors  bad_value: the generation has no dynamic slicing; two dimensions; an axis that is no
//           multiple of the block's, or smaller than the one before it; more chips than the
//           generation's largest slice. The message says which shape would be right
Result<Blocks> blocks_of(const Generation& generation, const Dims& dims);

}  // namespace tpuwh::topology::layout
