#include "server/tools/inspect/ledger/release.hpp"

#include "tests/support/named_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tpuwh::server::ledger {
namespace {

using test::case_name;
using test::PrintTo;
using testing::ElementsAre;
using testing::HasSubstr;

std::string token(std::uint32_t slice, std::uint32_t host) {
  return std::to_string(slice) + "-" + std::to_string(host) + "-0123456789abcdef";
}

// Group "workers" of RayCluster ml/train with an entry for hosts 0 to 3 of slice 0.
kube::cluster::LedgerObject four_hosts() {
  kube::cluster::LedgerObject object;
  object.group = {"ml", "train", "u1", "workers"};
  object.name = kube::cluster::ledger_object_name(object.group);
  object.version = "7";
  object.record.hosts_per_slice = 4;
  for (std::uint32_t host = 0; host < 4; ++host)
    object.record.entries.push_back({{0, host}, token(0, host)});
  return object;
}

LivingTokens living(std::vector<std::uint32_t> hosts, const std::string& ns = "ml") {
  LivingTokens out;
  for (const std::uint32_t host : hosts) out.emplace(ns, token(0, host));
  return out;
}

std::vector<std::string> freed(const ReleasePlan& plan) {
  std::vector<std::string> out;
  for (const auto& entry : plan.free) out.push_back(place_text(entry.place));
  return out;
}

TEST(LivingTokensTest, a_pod_lives_until_it_has_ended) {
  static constexpr auto label = "tpu-webhook.dev/token";
  const auto pod = [](const char* with, const char* phase) {
    return nlohmann::ordered_json{{"metadata", {{"namespace", "ml"}, {"labels", {{label, with}}}}},
                                  {"status", {{"phase", phase}}}};
  };
  LivingTokens found;
  add_pod(pod("a", "Pending"), label, found);
  add_pod(pod("b", "Running"), label, found);
  add_pod(pod("c", "Succeeded"), label, found);
  add_pod(pod("d", "Failed"), label, found);
  add_pod(pod("", "Running"), label, found);
  add_pod(nlohmann::ordered_json::object(), label, found);
  EXPECT_THAT(found, ElementsAre(std::pair{"ml", "a"}, std::pair{"ml", "b"}));
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

TEST(InventoryTest, says_which_places_nobody_holds) {
  const LedgerInventory inventory{"tpu-webhook-system", {four_hosts()}, living({0, 1}), {}};
  EXPECT_EQ(inventory_text(inventory, false).text(),
            "  RAYCLUSTER  GROUP    HOSTS PER SLICE  ENTRIES  WITH POD  WITHOUT POD  STATE\n"
            "  ml/train    workers  4                4        2         2: 0-2 0-3   whole\n");
  const auto group = inventory_json(inventory)["groups"][0];
  EXPECT_EQ(group["withPod"].dump(), R"(["0-0","0-1"])");
  EXPECT_EQ(group["withoutPod"].dump(), R"(["0-2","0-3"])");
  EXPECT_EQ(group["state"], "whole");
}

TEST(InventoryTest, what_may_not_be_read_is_not_known) {
  const LedgerInventory inventory{"ns", {four_hosts()}, {}, {"RBAC missing: list pods"}};
  const std::string text = inventory_text(inventory, false).text();
  EXPECT_THAT(text, HasSubstr("not known  not known    whole"));
  EXPECT_THAT(text, HasSubstr("not known: RBAC missing: list pods\n"));
  EXPECT_TRUE(inventory_json(inventory)["groups"][0]["withPod"].is_null());
}

TEST(InventoryTest, an_empty_ledger_says_where_it_looked) {
  EXPECT_EQ(inventory_text({"ns", {}, {}, {}}, false).text(), "no ledger object in namespace ns\n");
}

struct PathCase {
  const char* name;
  const char* text;
  bool good;
};

class GroupPathTest : public testing::TestWithParam<PathCase> {};

TEST_P(GroupPathTest, is_three_names) {
  const auto path = parse_group_path(GetParam().text);
  EXPECT_EQ(path.has_value(), GetParam().good);
  const std::string said = path ? "" : path.error().text();
  EXPECT_EQ(said.find("want NAMESPACE/CLUSTER/GROUP") != said.npos, !GetParam().good) << said;
}

INSTANTIATE_TEST_SUITE_P(table, GroupPathTest,
                         testing::Values(PathCase{"three", "ml/train/workers", true},
                                         PathCase{"two", "ml/train", false},
                                         PathCase{"four", "a/b/c/d", false},
                                         PathCase{"an_empty_one", "ml//workers", false},
                                         PathCase{"nothing", "", false}),
                         case_name);

class PlaceTest : public testing::TestWithParam<PathCase> {};

TEST_P(PlaceTest, is_two_numbers) {
  const auto place = parse_place(GetParam().text);
  EXPECT_EQ(place.has_value(), GetParam().good);
  EXPECT_EQ(place ? place_text(*place) : "", GetParam().good ? GetParam().text : "");
}

INSTANTIATE_TEST_SUITE_P(table, PlaceTest,
                         testing::Values(PathCase{"two", "12-3", true}, PathCase{"one", "3", false},
                                         PathCase{"a_token", "0-3-0123456789abcdef", false},
                                         PathCase{"a_word", "a-b", false},
                                         PathCase{"nothing", "", false}),
                         case_name);

}  // namespace
}  // namespace tpuwh::server::ledger
