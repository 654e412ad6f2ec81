#include "kubectl/inspect/ledger/release.hpp"

#include "tests/unit/kubectl/inspect/ledger/a_group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::ledger {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> freed(const ReleasePlan& plan) {
  std::vector<std::string> out;
  for (const auto& entry : plan.free) out.push_back(place_text(entry.place));
  return out;
}

TEST(ReleaseTest, frees_what_has_no_living_pod) {
  const auto plan = plan_release(four_hosts(), {}, living({0, 2}));
  EXPECT_THAT(freed(plan), ElementsAre("0-1", "0-3"));
  EXPECT_TRUE(plan.kept.empty());
}

TEST(ReleaseTest, a_pod_of_another_namespace_holds_nothing) {
  EXPECT_EQ(plan_release(four_hosts(), {}, living({0, 1, 2, 3}, "other")).free.size(), 4u);
}

TEST(ReleaseTest, frees_the_named_places_alone_and_says_what_stays) {
  const ReleaseChoice choice{.places = {{0, 0}, {0, 1}, {5, 0}}};
  const auto plan = plan_release(four_hosts(), choice, living({0, 2}));
  EXPECT_THAT(freed(plan), ElementsAre("0-1"));
  EXPECT_THAT(plan.kept, ElementsAre(HasSubstr("0-0 was kept: a Pod with token 0-0-"),
                                     HasSubstr("5-0 has no entry")));
}

TEST(ReleaseTest, force_frees_a_living_place_that_is_named) {
  const ReleaseChoice choice{.places = {{0, 0}}, .force = true};
  EXPECT_THAT(freed(plan_release(four_hosts(), choice, living({0, 2}))), ElementsAre("0-0"));
}

TEST(ReleaseTest, an_entry_whose_pod_came_meanwhile_stays) {
  const auto before = plan_release(four_hosts(), {}, living({0}));
  const auto now = plan_release(four_hosts(), {}, living({0, 3}));
  EXPECT_THAT(freed(confirmed(before, now)), ElementsAre("0-1", "0-2"));
}

TEST(ReleaseTest, an_entry_that_was_given_meanwhile_stays) {
  auto object = four_hosts();
  const auto before = plan_release(object, {}, living({0, 1, 2}));
  object.record.entries.back().token = "0-3-fedcba9876543210";
  const auto now = plan_release(object, {}, living({0, 1, 2}));
  EXPECT_TRUE(confirmed(before, now).free.empty());
}

TEST(ReleaseTest, the_rest_of_the_record_stays_as_it_is) {
  auto object = four_hosts();
  object.record.rebuilding = true;
  const auto left = without(object.record, plan_release(object, {}, living({2})));
  EXPECT_EQ(left.hosts_per_slice, 4u);
  EXPECT_TRUE(left.rebuilding);
  EXPECT_THAT(left.entries, ElementsAre(webhook::ledger::LedgerEntry{{0, 2}, token(0, 2)}));
}

TEST(GroupPathTest, is_three_names) {
  EXPECT_TRUE(parse_group_path("ml/train/workers"));
  for (const char* bad : {"ml/train", "a/b/c/d", "ml//workers", ""}) {
    const auto path = parse_group_path(bad);
    ASSERT_FALSE(path) << bad;
    EXPECT_THAT(path.error().text(), HasSubstr("expected NAMESPACE/CLUSTER/GROUP"));
  }
}

TEST(PlaceTest, is_two_numbers) {
  EXPECT_EQ(place_text(parse_place("12-3").value()), "12-3");
  for (const char* bad : {"3", "0-3-0123456789abcdef", "a-b", ""})
    EXPECT_FALSE(parse_place(bad)) << bad;
}

}  // namespace
}  // namespace tpuwh::server::ledger
