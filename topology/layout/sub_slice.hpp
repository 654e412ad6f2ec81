// Smaller slices inside a slice: equal boxes of whole hosts that fill it, each of which
// can run a job of its own (annotation cloud.google.com/gke-tpu-slice-topology).
//
//   source  docs/facts.md#sub-slice-shapes. A node carries one id for each
//           shape (label gke-tpu-slice-<shape>-id), so the boxes of a shape never
//           overlap: they lie at multiples of their own size
#pragma once

#include "topology/dims.hpp"
#include "topology/layout/grid.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tpuwh::topology::layout {

// The sub-slice shapes that fill `slice` and are smaller than it, ascending by chips. One
// that is smaller than a host is left out: no node of its own could run it.
std::vector<Dims> sub_slice_shapes_of(const Dims& slice, std::uint32_t chips_per_host);

// The boxes of one shape, numbered like hosts: x first, then y, then z.
class SubSlices {
 public:
  SubSlices(const HostGrid& hosts, const Bounds& counts, const Bounds& hosts_each)
      : hosts_(hosts), boxes_(counts, hosts_each) {}

  std::uint32_t size() const { return boxes_.size(); }
  std::uint32_t hosts_each() const { return hosts_.size() / size(); }
  Coord first_chip(std::uint32_t index) const;
  // Worker ids in the whole slice; the position in the list is the worker id inside
  // the sub-slice.
  std::vector<std::uint32_t> workers_of(std::uint32_t index) const;
  std::uint32_t index_of_worker(std::uint32_t worker) const;

 private:
  HostGrid hosts_;
  HostGrid boxes_;  // of hosts instead of chips
};

// Nothing where `part` does not fill the slice with whole hosts.
std::optional<SubSlices> sub_slices(const Dims& slice, std::uint32_t chips_per_host,
                                    const Dims& part);

}  // namespace tpuwh::topology::layout
