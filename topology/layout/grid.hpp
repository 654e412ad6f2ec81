// Where the hosts of a slice stand and which chips each has.
//
// Everything here counts along the axes of the topology: x is its first number, y its
// second, z its third (0 in two dimensions). Hosts are boxes of equally many chips,
// and worker ids run over the boxes x first, then y, then z.
//
//   source  docs/facts.md#host-bounds and #worker-order: GKE promises no order of node
//           names, so a Pod's worker id says which host libtpu takes it for, not which
//           machine it runs on
#pragma once

#include "topology/dims.hpp"
#include "topology/slice.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tpuwh::topology::layout {

using Coord = std::array<std::uint32_t, 3>;  // x, y, z

class HostGrid {
 public:
  HostGrid(const Bounds& hosts, const Bounds& chips_per_host)
      : hosts_(hosts), chips_per_host_(chips_per_host) {}

  const Bounds& hosts() const { return hosts_; }  // along each axis
  const Bounds& chips_per_host() const { return chips_per_host_; }
  std::uint32_t size() const { return hosts_[0] * hosts_[1] * hosts_[2]; }  // hosts in all

  // Each is the other's inverse for worker < size().
  Coord host_of(std::uint32_t worker) const;
  std::uint32_t worker_at(const Coord& host) const;

  Coord first_chip(std::uint32_t worker) const;             // the one with the lowest coordinates
  std::vector<Coord> chips_of(std::uint32_t worker) const;  // x first, then y, then z

 private:
  Bounds hosts_;
  Bounds chips_per_host_;
};

// Nothing where no layout of that many chips is known (1, 2, 4 and 8 are), or where it
// does not fill `dims`: 8 chips are 2,4,1, which 4x2 cannot be made of.
std::optional<HostGrid> host_grid(const Dims& dims, std::uint32_t chips_per_host);

}  // namespace tpuwh::topology::layout
