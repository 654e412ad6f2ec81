#include "kubectl/inspect/ledger/inventory.hpp"

#include "tests/unit/kubectl/inspect/ledger/a_group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tpuwh::server::ledger {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

}  // namespace
}  // namespace tpuwh::server::ledger
