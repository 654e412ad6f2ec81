// Several equal slices that form one job over the data center network.
#pragma once

#include "base/result.hpp"
#include "topology/next_member.hpp"
#include "topology/slice.hpp"

#include <cstdint>

namespace tpuwh::topology::layout {

struct Multislice {
  Slice slice;  // each of them
  std::uint32_t count;

  std::uint64_t chips() const { return slice.chips * count; }
  std::uint64_t hosts() const { return std::uint64_t{slice.hosts} * count; }  // Pods of the job
  std::uint64_t processes() const { return std::uint64_t{slice.processes} * count; }

  // Members are numbered slice after slice; each is the other's inverse.
  Place place_of(std::uint32_t member) const {
    return {member / slice.hosts, member % slice.hosts};
  }
  std::uint32_t member_at(const Place& place) const {
    return place.slice * slice.hosts + place.host;
  }
};

// `count` slices as one job.
//
//   errors  bad_value where the catalog says that this cannot be: no slice at all, more
//           than fit 32 bits, slices of one host (they are independent), a generation
//           without multislice (v3; tpu7, where no source says that it works). One
//           slice is never refused for the latter two
//   source  docs/facts.md#multislice-pools
Result<Multislice> make_multislice(const Slice& slice, std::uint32_t count);

}  // namespace tpuwh::topology::layout
