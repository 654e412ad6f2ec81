#include "webhook/ledger/place_plan.hpp"

#include "webhook/ledger/token.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace tpuwh::webhook::ledger {
namespace {

using topology::Place;

const topology::GroupSize two_hosts{.hosts_per_slice = 2, .slices = 1};

GroupPod without_token(std::optional<Place> place, bool leaving = false) {
  return {.token = {}, .place = place, .leaving = leaving};
}
GroupPod with_token(Place place, std::string_view review_uid, bool leaving = false) {
  return {.token = make_token(place, review_uid), .place = {}, .leaving = leaving};
}
LedgerEntry entry_of(Place place, std::string_view review_uid) {
  return {place, make_token(place, review_uid)};
}
LedgerRecord record_of(std::vector<LedgerEntry> entries) {
  return {.hosts_per_slice = 2, .rebuilding = false, .entries = std::move(entries)};
}

// Who is in a group of one slice of two hosts, and who comes next.
void expect_next(const std::vector<GroupPod>& group, const std::vector<LedgerEntry>& entries,
                 std::optional<Place> want) {
  GroupPods pods;
  for (const GroupPod& pod : group) pods[std::to_string(pods.size())] = pod;
  PlacePlan plan(record_of(entries), pods);
  plan.count_places();
  EXPECT_EQ(plan.next(two_hosts), want);
}

TEST(NextPlace, is_free_or_of_one_that_leaves) {
  expect_next({}, {}, Place{0, 0});
  expect_next({without_token(Place{0, 0})}, {}, Place{0, 1});
  expect_next({without_token({})}, {}, Place{0, 0});
  expect_next({without_token(Place{0, 0}, true)}, {}, Place{0, 1});
  expect_next({without_token(Place{0, 0}), without_token(Place{0, 1}, true)}, {}, Place{0, 1});
  expect_next({without_token(Place{0, 0}), without_token(Place{0, 1})}, {}, std::nullopt);
  expect_next({}, {entry_of({0, 0}, "a")}, Place{0, 1});
  expect_next({with_token({0, 0}, "a")}, {}, Place{0, 1});
  expect_next({with_token({0, 0}, "a", true), with_token({0, 1}, "b")},
              {entry_of({0, 0}, "a"), entry_of({0, 1}, "b")}, Place{0, 0});
  expect_next({with_token({0, 0}, "copy", true), with_token({0, 1}, "b")},
              {entry_of({0, 0}, "a"), entry_of({0, 1}, "b")}, std::nullopt);
}

TEST(PlacePlanEntries, are_found_by_the_review_they_were_given_to) {
  const GroupPods nobody;
  const PlacePlan plan(record_of({entry_of({0, 1}, "a"), entry_of({1, 0}, "b")}), nobody);
  ASSERT_NE(plan.given_to("a", two_hosts), nullptr);
  EXPECT_EQ(plan.given_to("a", two_hosts)->place, (Place{0, 1}));
  EXPECT_EQ(plan.given_to("b", two_hosts), nullptr) << "beyond the slices";
  EXPECT_EQ(plan.given_to("c", two_hosts), nullptr);
}

TEST(PlacePlanEntries, have_one_holder_or_none_that_counts) {
  const GroupPods nobody;
  PlacePlan plan(record_of({entry_of({0, 0}, "a"), entry_of({0, 1}, "b"), entry_of({0, 1}, "c"),
                            entry_of({1, 0}, "d")}),
                 nobody);
  ASSERT_NE(plan.only_holder(make_token({0, 0}, "a"), two_hosts), nullptr);
  EXPECT_EQ(plan.only_holder(make_token({0, 0}, "a"), two_hosts)->place, (Place{0, 0}));
  EXPECT_EQ(plan.only_holder(make_token({0, 1}, "b"), two_hosts), nullptr) << "two have it";
  EXPECT_EQ(plan.only_holder(make_token({1, 0}, "d"), two_hosts), nullptr) << "beyond the slices";
  EXPECT_EQ(plan.only_holder(make_token({0, 0}, "e"), two_hosts), nullptr);
}

TEST(PlacePlanEntries, are_given_once) {
  const GroupPods nobody;
  PlacePlan plan(record_of({}), nobody);
  plan.count_places();
  plan.give({0, 0}, make_token({0, 0}, "a"));
  EXPECT_EQ(plan.next(two_hosts), (Place{0, 1}));
  EXPECT_EQ(plan.record().entries, std::vector{entry_of({0, 0}, "a")});
}

// Strays are adopted up to the bound, and no further.
TEST(PlacePlanEntries, are_bounded) {
  for (const std::size_t missing : {2u, 1u, 0u}) {
    LedgerRecord record = record_of({});
    for (std::uint32_t i = 0; i < LedgerRecord::max_entries - missing; ++i)
      record.entries.push_back({{i / 2, i % 2}, {}});
    GroupPods strays;
    for (std::uint32_t i = 0; i < 4; ++i)
      strays[std::to_string(i)] = with_token({100'000 + i, 0}, "s");
    PlacePlan plan(record, strays);
    EXPECT_EQ(plan.is_crowded(), missing == 0);
    plan.count_places();
    EXPECT_EQ(plan.record().entries.size(), LedgerRecord::max_entries);
    EXPECT_TRUE(plan.is_crowded());
  }
}

TEST(PlacePlanSize, is_that_of_the_record_until_nobody_is_left) {
  const GroupPods nobody;
  PlacePlan plan(record_of({entry_of({0, 0}, "a")}), nobody);
  plan.begin_new(4);
  plan.begin_empty(4);
  EXPECT_EQ(plan.record().hosts_per_slice, 2u);
  EXPECT_EQ(plan.free([](const LedgerEntry& each) { return each.place == Place{0, 0}; }), 1u);
  plan.begin_empty(4);
  EXPECT_EQ(plan.record().hosts_per_slice, 4u);
  PlacePlan fresh(LedgerRecord{}, nobody);
  fresh.begin_new(8);
  EXPECT_EQ(fresh.record().hosts_per_slice, 8u);
}

}  // namespace
}  // namespace tpuwh::webhook::ledger
