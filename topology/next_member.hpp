// Which slice and host the next member of a group gets, where nothing about the
// member itself says so (docs/decisions/0012).
//
// A group is slices 0, 1, 2, ... of equally many hosts. Ids are filled so that a slice
// that has begun is completed before another begins: a slice that lacks a host
// does not start, and holds its chips meanwhile.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

namespace tpuwh::topology {

// One member's ids: the slice in its group, the host (worker) in its slice.
struct Place {
  std::uint32_t slice = 0;
  std::uint32_t host = 0;
  auto operator<=>(const Place&) const = default;
};

struct GroupSize {
  std::uint32_t hosts_per_slice = 0;
  std::uint32_t slices = 0;   // slice ids end below it; 0: nobody said, as many as come
  std::uint32_t members = 0;  // all together, whatever their slices' ids; 0: nobody said

  bool holds(const Place& place) const {
    return place.host < hosts_per_slice && (slices == 0 || place.slice < slices);
  }
};

// The place to give now, or nothing: every place of the group is taken.
//
//   order    1. in the lowest slice that has members and a gap, its lowest free host
//            2. else host 0 of the lowest slice without members
//            3. else, none being free, the lowest place that only a leaving member holds
//   taken    places of members that stay, in any order; repeats do no harm
//   leaving  places of members that are being deleted but may still run. In 1 and 2
//            they count as taken; without `slices` and `members` there is always a 2,
//            so no 3
//   members  as many are taken: nothing. A group that shrank from two slices to one may
//            live on as slice 1, whose members keep their ids and are replaced by them
//   bounds   a place outside `size` (the group has shrunk) is neither given nor counted;
//            hosts_per_slice 0 has no places
//   cost     sorts a copy: O(n log n) in the members, nothing in the size of the group
std::optional<Place> next_member(const GroupSize& size, std::span<const Place> taken,
                                 std::span<const Place> leaving = {});

}  // namespace tpuwh::topology
