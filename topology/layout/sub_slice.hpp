// Smaller slices inside a slice: equal boxes of whole hosts that fill it, each of which
// can run a job of its own (annotation cloud.google.com/gke-tpu-slice-topology).
//
//   source  docs/facts.md#sub-slice-shapes. A node carries one id for each
//           shape (label gke-tpu-slice-<shape>-id), so the boxes of a shape never
//           overlap: they lie at multiples of their own size
#pragma once

#include "topology/dims.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tpuwh::topology::layout {

// The sub-slice shapes that fill `slice` and are smaller than it, ascending by chips. One
// that is smaller than a host is left out: no node of its own could run it.
std::vector<Dims> sub_slice_shapes_of(const Dims& slice, std::uint32_t chips_per_host);

// Returns how many sub-slices of shape `part` fill the slice. Returns nullopt if `part` does not
// fill the slice with whole hosts.
std::optional<std::uint32_t> sub_slices(const Dims& slice, std::uint32_t chips_per_host,
                                        const Dims& part);

}  // namespace tpuwh::topology::layout
