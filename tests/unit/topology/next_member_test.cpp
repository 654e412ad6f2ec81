#include "topology/next_member.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <set>
#include <string_view>
#include <vector>

namespace tpuwh::topology {

void PrintTo(const Place& place, std::ostream* out) {
  *out << '{' << place.slice << ", " << place.host << '}';
}

namespace {

using Places = std::vector<Place>;
constexpr auto nothing = std::optional<Place>{};

TEST(NextMember, is) {
  struct {
    std::string_view name;
    GroupSize size;
    Places taken, leaving;
    std::optional<Place> want;
  } const cases[] = {
      {"first of all", {4, 2}, {}, {}, Place{0, 0}},
      {"next host", {4, 2}, {{0, 0}, {0, 1}}, {}, Place{0, 2}},
      {"gap in the middle", {4, 2}, {{0, 0}, {0, 2}}, {}, Place{0, 1}},
      {"next slice", {2, 2}, {{0, 0}, {0, 1}}, {}, Place{1, 0}},
      {"a begun slice before an unused lower one", {2, 3}, {{1, 1}}, {}, Place{1, 0}},
      {"the lower of two gaps", {2, 4}, {{3, 0}, {2, 1}, {0, 0}, {0, 1}}, {}, Place{2, 0}},
      {"the lowest unused slice", {1, 4}, {{3, 0}, {0, 0}}, {}, Place{1, 0}},
      {"full", {2, 1}, {{0, 1}, {0, 0}}, {}, nothing},
      {"without a bound another slice", {2, 0}, {{0, 1}, {0, 0}}, {}, Place{1, 0}},
      {"single-host slices", {1, 0}, {{0, 0}}, {}, Place{1, 0}},
      {"repeats count once", {2, 1}, {{0, 0}, {0, 0}}, {}, Place{0, 1}},
      {"a slice beyond the group is no gap", {2, 1}, {{5, 0}}, {}, Place{0, 0}},
      {"a host beyond the slice fills nothing", {2, 1}, {{0, 0}, {0, 7}}, {}, Place{0, 1}},
      {"no hosts, no places", {0, 4}, {}, {}, nothing},
      {"a leaving member keeps its place", {2, 2}, {{0, 1}}, {{0, 0}}, Place{1, 0}},
      {"a leaving member's slice has begun", {2, 2}, {}, {{1, 0}}, Place{1, 1}},
      {"of a leaving member when none is free", {2, 1}, {{0, 1}}, {{0, 0}}, Place{0, 0}},
      {"the lowest leaving one", {2, 2}, {{0, 0}, {1, 1}}, {{1, 0}, {0, 1}}, Place{0, 1}},
      {"given again already", {2, 1}, {{0, 0}, {0, 1}}, {{0, 0}}, nothing},
      {"leaving beyond the group", {1, 1}, {{0, 0}}, {{0, 1}, {1, 0}}, nothing},
      {"as many as are wanted", {2, 0, 4}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {}, nothing},
      {"a shrunken group lives on in its second slice", {2, 0, 2}, {{1, 0}}, {}, Place{1, 1}},
      {"no third slice", {2, 0, 4}, {{0, 0}, {0, 1}}, {{1, 1}, {1, 0}}, Place{1, 0}},
      {"the highest slice of all", {1, 0}, {{0xFFFFFFFF, 0}}, {}, Place{0, 0}},
  };
  for (const auto& c : cases) EXPECT_EQ(next_member(c.size, c.taken, c.leaving), c.want) << c.name;
}

// --- Over random groups ---------------------------------------------------------

// The rule read off the header: every place looked at, one after the other.
std::optional<Place> by_search(const GroupSize& size, const Places& taken, const Places& leaving) {
  const auto has = [](const Places& places, const Place& place) {
    return std::ranges::find(places, place) != places.end();
  };
  std::optional<Place> begun_gap, unused, left;
  std::uint32_t staying = 0, used = 0;
  for (std::uint32_t slice = 0; slice < size.slices; ++slice) {
    std::optional<Place> gap;
    bool begun = false;
    for (std::uint32_t host = 0; host < size.hosts_per_slice; ++host) {
      const Place place{slice, host};
      const bool stays = has(taken, place);
      const bool leaves = has(leaving, place);
      begun = begun || stays || leaves;
      staying += stays;
      used += stays || leaves;
      if (!stays && !leaves && !gap) gap = place;
      if (!stays && leaves && !left) left = place;
    }
    if (begun && !begun_gap) begun_gap = gap;
    if (!begun && !unused) unused = gap;
  }
  const std::uint32_t most = size.members == 0 ? 0xffffffffu : size.members;
  if (used < most && begun_gap) return begun_gap;
  if (used < most && unused) return unused;
  return staying < most ? left : std::nullopt;
}

class RandomGroups : public testing::Test {
 protected:
  std::uint32_t below(std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random_);
  }
  // Some of them outside the group, some twice.
  Places places(const GroupSize& size) {
    Places result(below(size.hosts_per_slice * size.slices * 2 + 1));
    for (Place& place : result) place = {below(size.slices + 1), below(size.hosts_per_slice + 1)};
    return result;
  }
  std::mt19937 random_{20260908};
};

TEST_F(RandomGroups, agree_with_a_search_through_all_places) {
  int full = 0;
  for (int round = 0; round < 20'000; ++round) {
    GroupSize size{1 + below(4), 1 + below(4)};
    size.members = below(size.hosts_per_slice * size.slices + 2);
    const Places taken = places(size), leaving = places(size);
    const auto want = by_search(size, taken, leaving);
    ASSERT_EQ(next_member(size, taken, leaving), want) << "round " << round;
    full += !want;
  }
  EXPECT_GT(full, 100);
}

// Members come and go for a long time: no id is ever held twice, and none is refused
// while the group has room.
TEST_F(RandomGroups, never_give_a_place_twice) {
  const GroupSize size{4, 8, 0};
  std::set<Place> members;
  int refused = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (!members.empty() && below(5) < 2) {
      members.erase(std::next(members.begin(), below(static_cast<std::uint32_t>(members.size()))));
      continue;
    }
    const auto place = next_member(size, Places(members.begin(), members.end()));
    refused += !place;
    ASSERT_EQ(!place, members.size() == 32) << "step " << step;
    if (!place) continue;
    ASSERT_TRUE(members.insert(*place).second) << "step " << step;
  }
  EXPECT_GT(refused, 100);
}

TEST_F(RandomGroups, fill_in_order_whatever_order_the_taken_come_in) {
  const GroupSize size{4, 5, 0};
  Places taken;
  for (std::uint32_t i = 0; i < 20; ++i) {
    std::ranges::shuffle(taken, random_);
    const auto place = next_member(size, taken);
    ASSERT_EQ(place, (Place{i / 4, i % 4}));
    taken.push_back(*place);
  }
  EXPECT_EQ(next_member(size, taken), nothing);
}

}  // namespace
}  // namespace tpuwh::topology
