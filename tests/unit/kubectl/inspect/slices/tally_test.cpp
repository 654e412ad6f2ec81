#include "kubectl/inspect/slices/tally.hpp"

#include "kubectl/inspect/slices/print_tally.hpp"
#include "tests/unit/kubectl/inspect/slices/a_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tpuwh::server::slices {
namespace {

using testing::HasSubstr;
using testing::Not;

std::optional<std::string> by_namespace(const SeenPod& pod) {
  return pod.ns;
}

Tally tallied(const Cluster& cluster, const ValueOf& value_of = by_namespace) {
  return tally_of(cluster, report_slices(cluster), value_of);
}

// The whole line that begins so.
std::string line_of(const std::string& text, const std::string& begin) {
  const auto at = text.find("  " + begin);
  return at == std::string::npos ? "" : text.substr(at + 2, text.find('\n', at) - at - 2);
}

std::string printed(const Cluster& cluster, const Prices* prices = nullptr,
                    const std::string& label = "", const ValueOf& value_of = by_namespace) {
  const Tally tally = tallied(cluster, value_of);
  return tally_text({cluster, tally, label, prices}, false).text();
}

TEST(ATally, has_slices_and_their_chips_by_phase) {
  Cluster cluster = a_cluster();
  cluster.pods[1].node = "";  // a host of slice 0 waits
  cluster.pods[1].life = Life::pending;
  const Tally tally = tallied(cluster);
  ASSERT_EQ(tally.rows.size(), 1u);
  const Counts& counts = tally.rows.front().counts;
  EXPECT_EQ(tally.rows.front().value, "ml");
  EXPECT_EQ(tally.rows.front().accelerator, "tpu-v6e-slice");
  EXPECT_EQ(counts.slices[Phase::running], 1u);
  EXPECT_EQ(counts.slices[Phase::forming], 1u);
  EXPECT_EQ(counts.held[Phase::running], 16u);
  EXPECT_EQ(counts.held[Phase::forming], 12u);
  EXPECT_EQ(counts.waiting, 4u);
  EXPECT_EQ(tally.total.held.sum(), 28u);
}

TEST(ATally, a_pod_that_has_ended_holds_nothing_and_one_that_is_deleted_still_does) {
  Cluster cluster = a_cluster();
  cluster.pods.resize(4);
  for (SeenPod& pod : cluster.pods) pod.life = Life::succeeded;
  EXPECT_EQ(tallied(cluster).total.held.sum(), 0u);
  EXPECT_EQ(tallied(cluster).total.slices[Phase::ended], 1u);
  for (SeenPod& pod : cluster.pods) {
    pod.life = Life::running;
    pod.terminating = true;
  }
  EXPECT_EQ(tallied(cluster).total.held.sum(), 16u);
  for (SeenPod& pod : cluster.pods) pod.node = "";
  EXPECT_EQ(tallied(cluster).total.held.sum(), 0u);
  EXPECT_EQ(tallied(cluster).total.waiting, 0u);  // it never gets one
}

// The twin of a place is counted with the chips that it holds, too.
TEST(ATally, a_pod_whose_place_another_has_holds_its_chips) {
  Cluster cluster = a_cluster();
  add_twin(cluster, Life::running, true);
  EXPECT_EQ(tallied(cluster).total.held.sum(), 36u);
  EXPECT_EQ(tallied(cluster).total.slices.sum(), 2u);
}

TEST(ATally, the_nodes_accelerator_counts_before_the_pods) {
  Cluster cluster = a_cluster();
  for (SeenPod& pod : cluster.pods) pod.accelerator = "";
  EXPECT_EQ(tallied(cluster).rows.front().accelerator, "");
  for (auto& [name, node] : cluster.nodes)
    node.labels.add(webhook::read::key::accelerator, "tpu-v5p-slice");
  EXPECT_EQ(tallied(cluster).rows.front().accelerator, "tpu-v5p-slice");
}

TEST(ATally, is_by_value_and_accelerator_with_those_without_a_value_at_the_end) {
  Cluster cluster = a_cluster();
  for (std::size_t i = 4; i < 8; ++i) cluster.pods[i].accelerator = "tpu-v5p-slice";
  const auto team = [](const SeenPod& pod) {
    return *pod.slice == 0 ? std::nullopt : std::optional<std::string>("zoo");
  };
  const Tally tally = tallied(cluster, team);
  ASSERT_EQ(tally.rows.size(), 2u);
  EXPECT_EQ(tally.rows[0].value, "zoo");
  EXPECT_EQ(tally.rows[1].value, std::nullopt);
  ASSERT_EQ(tally.totals.size(), 2u);
  EXPECT_EQ(tally.totals[0].accelerator, "tpu-v5p-slice");
  EXPECT_EQ(tally.totals[0].counts.held.sum(), 16u);
  EXPECT_EQ(tally.slices_in_several, 0u);
}

TEST(ATally, a_slice_whose_pods_differ_is_in_each_row_and_once_in_the_total) {
  const Cluster cluster = a_cluster();
  const auto by_host = [](const SeenPod& pod) { return std::to_string(*pod.host / 2); };
  const Tally tally = tallied(cluster, by_host);
  ASSERT_EQ(tally.rows.size(), 2u);
  EXPECT_EQ(tally.rows[0].counts.slices.sum(), 2u);
  EXPECT_EQ(tally.rows[0].counts.held.sum(), 16u);
  EXPECT_EQ(tally.total.slices.sum(), 2u);
  EXPECT_EQ(tally.slices_in_several, 2u);
  EXPECT_THAT(printed(cluster, nullptr, "host", by_host),
              HasSubstr("\n2 slices: in several rows, once in the total\n"));
}

TEST(ATallysText, has_a_row_for_each_and_the_total) {
  Cluster cluster = a_cluster();
  const std::string text = printed(cluster);
  EXPECT_EQ(text,
            "  NAMESPACE  ACCELERATOR    SLICES     CHIPS HELD  CHIPS WAITING\n"
            "  ml         tpu-v6e-slice  2 running  32 running  0\n"
            "  (total)    tpu-v6e-slice  2 running  32 running  0\n");
  cluster.pods[1].node = "";
  cluster.pods[1].life = Life::pending;
  EXPECT_EQ(line_of(printed(cluster), "ml"),
            "ml         tpu-v6e-slice  1 running, 1 forming  28: 16 running, 12 forming  4");
  EXPECT_EQ(printed({}), "no Pod asks for google.com/tpu\n");
}

TEST(ATallysText, says_where_no_pod_has_the_label) {
  const Cluster cluster = a_cluster();
  const auto none = [](const SeenPod&) { return std::optional<std::string>(); };
  const std::string text = printed(cluster, nullptr, "taem", none);
  EXPECT_THAT(text, HasSubstr("  taem     ACCELERATOR"));
  EXPECT_THAT(line_of(text, "(none)"), HasSubstr("2 running"));
  EXPECT_THAT(text, HasSubstr("\nno TPU Pod has label taem\n"));
  const auto empty = [](const SeenPod&) { return std::string(); };
  EXPECT_THAT(printed(cluster, nullptr, "team", empty), HasSubstr("  \"\"  "));
}

TEST(ATallysText, has_the_price_of_what_is_held) {
  Cluster cluster = a_cluster();
  cluster.pods[1].node = "";
  const Prices prices{.currency = "EUR", .millionths = {{"tpu-v6e-slice", 2'700'000}}};
  const std::string text = printed(cluster, &prices);
  EXPECT_THAT(line_of(text, "NAMESPACE"), HasSubstr("CHIPS WAITING  AN HOUR"));
  EXPECT_THAT(line_of(text, "ml"), HasSubstr("4              75.60 EUR"));
  EXPECT_THAT(line_of(text, "(total)"), HasSubstr("75.60 EUR"));
  EXPECT_THAT(text, Not(HasSubstr("no price")));
}

TEST(ATallysText, an_accelerator_without_a_price_is_never_free) {
  Cluster cluster = a_cluster();
  for (std::size_t i = 4; i < 8; ++i) cluster.pods[i].accelerator = "tpu-v5p-slice";
  const Prices prices{.currency = "EUR", .millionths = {{"tpu-v6e-slice", 1'000'000}}};
  const std::string text = printed(cluster, &prices);
  EXPECT_THAT(line_of(text, "ml         tpu-v5p-slice"), HasSubstr("no price"));
  EXPECT_THAT(line_of(text, "(total)    all"), HasSubstr("16.00 EUR without 16 chips"));
  EXPECT_THAT(text, HasSubstr("\nno price: tpu-v5p-slice\n"));
  for (std::size_t i = 4; i < 8; ++i) cluster.pods[i].accelerator = "";
  EXPECT_THAT(printed(cluster, &prices),
              HasSubstr("\nno price: Pods whose accelerator is not known\n"));
}

TEST(ATallysText, a_price_under_another_name_is_no_price) {
  const Prices prices{.currency = "EUR", .millionths = {{"v6e", 1'000'000}}};
  const std::string text = printed(a_cluster(), &prices);
  EXPECT_THAT(line_of(text, "(total)"), HasSubstr("no price"));
  EXPECT_THAT(text, HasSubstr("\nno price: tpu-v6e-slice (the file has v6e)\n"));
  Cluster cluster = a_cluster();
  for (std::size_t i = 4; i < 8; ++i) cluster.pods[i].accelerator = "tpu-v5p-slice";
  EXPECT_THAT(line_of(printed(cluster, &prices), "(total)    all"), HasSubstr("no price"));
}

TEST(ATallysJson, has_stable_names) {
  Cluster cluster = a_cluster();
  cluster.pods.resize(4);
  const Prices prices{.currency = "EUR", .millionths = {{"tpu-v6e-slice", 2'700'000}}};
  const Tally tally = tallied(cluster);
  const std::string label;
  const auto counts =
      R"("slices":{"running":1,"forming":0,"broken":0,"ended":0},)"
      R"("chips":{"held":16,"running":16,"forming":0,"broken":0,"ended":0,"waiting":0},"perHour":43.2)";
  const std::string of_accelerator =
      std::string(R"("accelerator":"tpu-v6e-slice","generation":"v6e",)") + counts;
  EXPECT_EQ(tally_json({cluster, tally, label, &prices}).dump(),
            R"({"by":"namespace","label":null,"rows":[{"value":"ml",)" + of_accelerator +
                R"(}],"totals":[{)" + of_accelerator + R"(}],"total":{)" + counts +
                R"(},"slicesInSeveralRows":0,"currency":"EUR","withoutPrice":[],"notKnown":[]})");
}

TEST(ATallysJson, a_total_without_a_price_is_null) {
  Cluster cluster = a_cluster();
  for (std::size_t i = 4; i < 8; ++i) cluster.pods[i].accelerator = "tpu-v5p-slice";
  const Prices prices{.currency = "EUR", .millionths = {{"tpu-v6e-slice", 1'000'000}}};
  const auto nobody = [](const SeenPod&) { return std::optional<std::string>(); };
  const Tally tally = tallied(cluster, nobody);
  const std::string label = "team";
  const auto report = tally_json({cluster, tally, label, &prices});
  EXPECT_EQ(report["label"], "team");
  EXPECT_TRUE(report["rows"][0]["value"].is_null());
  EXPECT_TRUE(report["rows"][0]["perHour"].is_null());
  EXPECT_EQ(report["rows"][1]["perHour"], 16.0);
  EXPECT_TRUE(report["total"]["perHour"].is_null());
  EXPECT_EQ(report["withoutPrice"].dump(), R"(["tpu-v5p-slice"])");
  const auto unpriced = tally_json({cluster, tally, label, nullptr});
  EXPECT_TRUE(unpriced["total"]["perHour"].is_null());
  EXPECT_TRUE(unpriced["currency"].is_null());
  EXPECT_EQ(unpriced["withoutPrice"].dump(), "[]");
}

}  // namespace
}  // namespace tpuwh::server::slices
