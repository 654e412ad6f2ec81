#include "topology/next_member.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tpuwh::topology {
namespace {

// Ascending, each once, none outside the group.
std::vector<Place> places_of(const GroupSize& size, std::span<const Place> first,
                             std::span<const Place> second = {}) {
  std::vector<Place> result;
  result.reserve(first.size() + second.size());
  for (const auto places : {first, second}) {
    std::ranges::copy_if(places, std::back_inserter(result),
                         [&](const Place& place) { return size.holds(place); });
  }
  std::ranges::sort(result);
  const auto repeats = std::ranges::unique(result);
  result.erase(repeats.begin(), repeats.end());
  return result;
}

// The lowest host that none of one slice's members, ascending, has.
std::uint32_t lowest_free_host(std::span<const Place> members) {
  std::uint32_t host = 0;
  while (host < members.size() && members[host].host == host) ++host;
  return host;
}

std::optional<Place> free_place(const GroupSize& size, std::span<const Place> used) {
  std::uint32_t lowest_unused = 0;
  while (!used.empty()) {
    const std::uint32_t slice = used.front().slice;
    const auto is_same = [slice](const Place& place) { return place.slice == slice; };
    const auto end = std::ranges::find_if_not(used, is_same);
    const auto members = used.first(static_cast<std::size_t>(end - used.begin()));
    if (members.size() < size.hosts_per_slice) return Place{slice, lowest_free_host(members)};
    if (slice == lowest_unused) ++lowest_unused;
    used = used.subspan(members.size());
  }
  if (size.slices != 0 && lowest_unused == size.slices) return std::nullopt;
  return Place{lowest_unused, 0};
}

}  // namespace

std::optional<Place> next_member(const GroupSize& size, std::span<const Place> taken,
                                 std::span<const Place> leaving) {
  if (size.hosts_per_slice == 0) return std::nullopt;
  // A bound on members, not on slice ids: after a group shrank to one slice, which may be slice 1,
  // the replacement of one of its Pods was once given host 0 of slice 0, and neither was whole.
  const std::size_t most = size.members == 0 ? SIZE_MAX : size.members;
  const auto used = places_of(size, taken, leaving);
  if (used.size() < most)
    if (const auto place = free_place(size, used)) return place;

  const auto staying = places_of(size, taken);
  if (staying.size() >= most) return std::nullopt;
  for (const Place& place : places_of(size, leaving)) {
    if (!std::ranges::binary_search(staying, place)) return place;
  }
  return std::nullopt;
}

}  // namespace tpuwh::topology
