// What is kept of resource claims: chips of the TPU DRA driver, and which nodes their selectors
// leave.
#include "server/kube/store/store.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <string>

#include "server/kube/store/device_selector.hpp"
#include "webhook/read/body.hpp"

namespace tpuwh::server::kube::store {
namespace {

using Json = nlohmann::json;
using webhook::read::Claimed;
using Known = Claimed::Known;

class ClaimsOfTheStore : public testing::Test {
 protected:
  void put(Kind kind, const Json& object) {
    std::string text = object.dump();
    store.upsert(kind, webhook::read::Body(text).bytes());
  }
  static Json made_from(const Json& requests) {
    return {{"metadata", {{"name", "t"}, {"namespace", "ns"}}},
            {"spec", {{"spec", {{"devices", {{"requests", requests}}}}}}}};
  }
  static Json named(const Json& requests, const Json& annotations = Json::object()) {
    return {{"metadata", {{"name", "c"}, {"namespace", "ns"}, {"annotations", annotations}}},
            {"spec", {{"devices", {{"requests", requests}}}}}};
  }
  Claimed asked(const std::string& requests) {
    put(Kind::claim_template, made_from(Json::parse(requests)));
    return store.claimed({"ns", "t", true});
  }
  static Claimed chips(std::uint32_t count) { return {.known = Known::chips, .chips = count}; }

  Store store{"tpu-webhook.dev/"};
};

TEST_F(ClaimsOfTheStore, are_counted_by_their_device_class) {
  EXPECT_EQ(
      asked(R"([{"name": "a", "exactly": {"deviceClassName": "tpu.google.com", "count": 4}}])"),
      chips(4));
  EXPECT_EQ(asked(R"([{"exactly": {"count": 2, "deviceClassName": "tpu.google.com"}},
                      {"exactly": {"deviceClassName": "netdev.google.com", "allocationMode": "All"}},
                      {"deviceClassName": "tpu.google.com"}])"),
            chips(3));
  EXPECT_EQ(asked(R"([{"exactly": {"deviceClassName": "gpu.nvidia.com", "count": 8}}])"), chips(0));
  EXPECT_EQ(asked("[]"), chips(0));
  EXPECT_EQ(
      asked(R"([{"exactly": {"deviceClassName": "tpu.google.com", "allocationMode": "All"}}])"),
      Claimed());
}

TEST_F(ClaimsOfTheStore, give_no_chips_to_whoever_only_looks_at_devices) {
  EXPECT_EQ(asked(R"([{"exactly": {"deviceClassName": "tpu.google.com", "adminAccess": true,
                                   "allocationMode": "All"}}])"),
            chips(0));
}

TEST_F(ClaimsOfTheStore, of_alternatives_are_what_all_have) {
  const auto of = [](const char* one, const char* other) {
    return std::string("[{\"firstAvailable\": [") + one + ", " + other + "]}]";
  };
  const char* four = R"({"deviceClassName": "tpu.google.com", "count": 4, "selectors": [{"cel":
      {"expression": "device.attributes['tpu.google.com'].accelerator == 'tpu-v6e-slice'"}}]})";
  const char* four_of_v5p =
      R"({"deviceClassName": "tpu.google.com", "count": 4, "selectors": [{"cel":
      {"expression": "device.attributes['tpu.google.com'].accelerator == 'tpu-v5p-slice'"}}]})";
  const char* eight = R"({"deviceClassName": "tpu.google.com", "count": 8})";
  const char* gpus = R"({"deviceClassName": "gpu.nvidia.com", "count": 4})";
  EXPECT_EQ(asked(of(four, four_of_v5p)),
            (Claimed{.known = Known::chips, .chips = 4, .alternatives = true}));
  EXPECT_EQ(asked(of(four, four)), (Claimed{.known = Known::chips,
                                            .chips = 4,
                                            .alternatives = true,
                                            .accelerator = "tpu-v6e-slice"}));
  EXPECT_EQ(asked(of(four, eight)), Claimed());
  EXPECT_EQ(asked(of(gpus, four)), Claimed());
  EXPECT_EQ(asked(of(gpus, gpus)), chips(0));
}

TEST_F(ClaimsOfTheStore, say_which_nodes_they_select) {
  EXPECT_EQ(
      asked(
          R"([{"exactly": {"deviceClassName": "tpu.google.com", "allocationMode": "All", "selectors": [
          {"cel": {"expression": "device.attributes[\"tpu.google.com\"].topology == \"4x4\" && device.attributes[\"tpu.google.com\"].chipCount == 4"}},
          {"cel": {"expression": "device.attributes[\"tpu.google.com\"].accelerator == \"tpu-v6e-slice\""}}]}}])"),
      (Claimed{
          .known = Known::chips, .chips = 4, .accelerator = "tpu-v6e-slice", .topology = "4x4"}));
}

TEST_F(ClaimsOfTheStore, are_kept_by_their_names_while_they_are_there) {
  store.begin_relist(Kind::claim);
  put(Kind::claim,
      named(Json::parse(R"([{"exactly": {"deviceClassName": "netdev.google.com"}}])")));
  store.end_relist(Kind::claim);
  EXPECT_EQ(store.claimed({"ns", "c", false}), chips(0));
  EXPECT_EQ(store.claimed({"ns", "c", true}), Claimed());
  EXPECT_EQ(store.claimed({"other", "c", false}), Claimed());
  store.read_claims(true);
  EXPECT_EQ(store.claimed({"other", "c", false}).known, Known::unread);
  store.begin_relist(Kind::claim);
  store.end_relist(Kind::claim);
  EXPECT_EQ(store.size(Kind::claim), 0u);
  EXPECT_EQ(store.claimed({"ns", "c", false}).known, Known::unread);
}

TEST_F(ClaimsOfTheStore, that_kubernetes_made_for_a_pod_are_not_kept) {
  put(Kind::claim, named(Json::array(), {{"resource.kubernetes.io/pod-claim-name", "tpu"}}));
  EXPECT_EQ(store.size(Kind::claim), 0u);
  std::string text = made_from(Json::array()).dump();
  put(Kind::claim_template, made_from(Json::array()));
  EXPECT_EQ(store.size(Kind::claim_template), 1u);
  store.remove(Kind::claim_template, webhook::read::Body(text).bytes());
  EXPECT_EQ(store.size(Kind::claim_template), 0u);
}

// ---- selectors

SelectedChips selected(std::string_view expression) {
  SelectedChips out;
  add_selected(expression, out);
  return out;
}

TEST(DeviceSelector, is_read_as_the_drivers_pages_write_it) {
  EXPECT_EQ(selected(R"(device.attributes["tpu.google.com"].accelerator == "tpu-v6e-slice")"),
            SelectedChips{.accelerator = "tpu-v6e-slice"});
  EXPECT_EQ(selected(" device.attributes['tpu.google.com'].topology\n== '2x4' "),
            SelectedChips{.topology = "2x4"});
  EXPECT_EQ(selected(R"((device.driver == "tpu.google.com" &&
                         (device.attributes["tpu.google.com"].chipCount==8)) &&
                         device.attributes["tpu.google.com"].topology == "2x4" && other(1))"),
            (SelectedChips{.topology = "2x4", .chip_count = 8}));
}

TEST(DeviceSelector, that_may_mean_something_else_says_nothing) {
  for (const char* text :
       {R"(device.attributes["tpu.google.com"].topology == "2x4" || true)",
        R"(device.attributes["tpu.google.com"].topology == "2x4" ? true : false)",
        R"(!(device.attributes["tpu.google.com"].topology == "2x4"))",
        R"(device.attributes["tpu.google.com"].topology != "2x4")",
        R"(device.attributes["tpu.google.com"].topology == "2x4" == false)",
        R"(device.attributes["gpu.nvidia.com"].topology == "2x4")",
        R"(device.attributes["tpu.google.com"].topology == "2\x784")",
        R"(device.attributes["tpu.google.com"].topology in ["2x4", "4x4"])",
        R"(device.attributes["tpu.google.com"].?topology.orValue("") == "2x4")",
        R"((device.attributes["tpu.google.com"].topology == "2x4") || (true))",
        R"("&&" == "x" || device.attributes["tpu.google.com"].topology == "2x4")",
        R"(device.attributes["tpu.google.com"].topology == "2x4)",
        R"(device.attributes["tpu.google.com"].chipCount == 4u)", "(((", ")", "'", ""})
    EXPECT_EQ(selected(text), SelectedChips()) << text;
}

TEST(DeviceSelector, is_read_in_time_whatever_it_holds) {
  EXPECT_EQ(selected(std::string(20'000, '(')), SelectedChips());
  const std::string deep(1'000, '(');
  const std::string text = R"(device.attributes["tpu.google.com"].topology == "2x4")";
  EXPECT_EQ(selected(deep + text + std::string(1'000, ')')), SelectedChips());
  EXPECT_EQ(selected("((" + text + "))"), SelectedChips{.topology = "2x4"});
}

}  // namespace
}  // namespace tpuwh::server::kube::store
