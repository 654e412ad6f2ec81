#include "topology/next_member.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <set>
#include <string_view>
#include <vector>

#include "tests/support/named_case.hpp"

namespace tpuwh::topology {

void PrintTo(const Place& place, std::ostream* out) {
  *out << '{' << place.slice << ", " << place.host << '}';
}

namespace {

using test::case_name;
using test::PrintTo;
using Places = std::vector<Place>;
constexpr auto nothing = std::optional<Place>{};

struct MemberCase {
  std::string_view name;
  GroupSize size;
  Places taken = {};
  Places leaving = {};
  std::optional<Place> want;
};

class NextMember : public testing::TestWithParam<MemberCase> {};

TEST_P(NextMember, is) {
  const MemberCase& c = GetParam();
  EXPECT_EQ(next_member(c.size, c.taken, c.leaving), c.want);
}

const MemberCase member_cases[] = {
    {.name = "first_of_all", .size = {4, 2}, .want = Place{0, 0}},
    {.name = "next_host", .size = {4, 2}, .taken = {{0, 0}, {0, 1}}, .want = Place{0, 2}},
    {.name = "gap_in_the_middle", .size = {4, 2}, .taken = {{0, 0}, {0, 2}}, .want = Place{0, 1}},
    {.name = "next_slice", .size = {2, 2}, .taken = {{0, 0}, {0, 1}}, .want = Place{1, 0}},
    {.name = "a_begun_slice_before_an_unused_lower_one",
     .size = {2, 3},
     .taken = {{1, 1}},
     .want = Place{1, 0}},
    {.name = "the_lower_of_two_gaps",
     .size = {2, 4},
     .taken = {{3, 0}, {2, 1}, {0, 0}, {0, 1}},
     .want = Place{2, 0}},
    {.name = "the_lowest_unused_slice",
     .size = {1, 4},
     .taken = {{3, 0}, {0, 0}},
     .want = Place{1, 0}},
    {.name = "full", .size = {2, 1}, .taken = {{0, 1}, {0, 0}}, .want = nothing},
    {.name = "without_a_bound_another_slice",
     .size = {2, 0},
     .taken = {{0, 1}, {0, 0}},
     .want = Place{1, 0}},
    {.name = "single_host_slices", .size = {1, 0}, .taken = {{0, 0}}, .want = Place{1, 0}},
    {.name = "repeats_count_once", .size = {2, 1}, .taken = {{0, 0}, {0, 0}}, .want = Place{0, 1}},
    {.name = "a_slice_beyond_the_group_is_no_gap",
     .size = {2, 1},
     .taken = {{5, 0}},
     .want = Place{0, 0}},
    {.name = "a_host_beyond_the_slice_fills_nothing",
     .size = {2, 1},
     .taken = {{0, 0}, {0, 7}},
     .want = Place{0, 1}},
    {.name = "no_hosts_no_places", .size = {0, 4}, .want = nothing},
    {.name = "a_leaving_member_keeps_its_place_while_another_is_free",
     .size = {2, 2},
     .taken = {{0, 1}},
     .leaving = {{0, 0}},
     .want = Place{1, 0}},
    {.name = "a_leaving_members_slice_has_begun",
     .size = {2, 2},
     .leaving = {{1, 0}},
     .want = Place{1, 1}},
    {.name = "the_place_of_a_leaving_member_when_none_is_free",
     .size = {2, 1},
     .taken = {{0, 1}},
     .leaving = {{0, 0}},
     .want = Place{0, 0}},
    {.name = "the_lowest_leaving_member",
     .size = {2, 2},
     .taken = {{0, 0}, {1, 1}},
     .leaving = {{1, 0}, {0, 1}},
     .want = Place{0, 1}},
    {.name = "a_place_given_again_while_its_former_member_leaves",
     .size = {2, 1},
     .taken = {{0, 0}, {0, 1}},
     .leaving = {{0, 0}},
     .want = nothing},
    {.name = "leaving_beyond_the_group",
     .size = {1, 1},
     .taken = {{0, 0}},
     .leaving = {{0, 1}, {1, 0}},
     .want = nothing},
    {.name = "as_many_as_are_wanted",
     .size = {2, 0, 4},
     .taken = {{0, 0}, {0, 1}, {1, 0}, {1, 1}},
     .want = nothing},
    {.name = "a_shrunken_group_lives_on_in_its_second_slice",
     .size = {2, 0, 2},
     .taken = {{1, 0}},
     .want = Place{1, 1}},
    {.name = "no_third_slice_beside_leaving_members",
     .size = {2, 0, 4},
     .taken = {{0, 0}, {0, 1}},
     .leaving = {{1, 1}, {1, 0}},
     .want = Place{1, 0}},
    {.name = "the_highest_slice_of_all",
     .size = {1, 0},
     .taken = {{0xFFFFFFFF, 0}},
     .want = Place{0, 0}},
};
INSTANTIATE_TEST_SUITE_P(Cases, NextMember, testing::ValuesIn(member_cases), case_name);

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
