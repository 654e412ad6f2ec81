// What follows of a finding, as the configuration has it.
#include "webhook/decide/levels.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/admitted.hpp"
#include "tests/support/validated.hpp"
#include "webhook/findings/finding.hpp"

namespace tpuwh::webhook::decide {
namespace {

using findings::Finding;
using findings::Level;
using namespace test;

config::Config with(Finding finding, Level level) {
  config::Config config;
  config.findings.set(finding, level);
  return config;
}

TEST(FindingsTable, is_found_by_id) {
  for (const findings::Row& row : findings::table()) {
    EXPECT_EQ(findings::find(row.id), &row) << row.id;
    EXPECT_EQ(findings::row(row.finding).id, row.id);
  }
  EXPECT_EQ(findings::find("TPU-000"), nullptr);
  EXPECT_EQ(findings::find(""), nullptr);
}

// A denial, and a warning beside a patch.
PodBuilder bad_topology() {
  return a_pod().job("train", 1).on("four", 4);
}
PodBuilder own_port() {
  return a_pod().job("train", 1).on("4x4", 4).env("TPU_WORKER_ID", "3");
}

TEST(Levels, are_those_of_the_table) {
  EXPECT_TRUE(admit(bad_topology()).message.starts_with("TPU-102: topology \"four\""));
  const auto warned = admit(own_port());
  ASSERT_EQ(warned.warnings.size(), 1u);
  EXPECT_TRUE(warned.warnings[0].starts_with("TPU-502: TPU_WORKER_ID of container"));
}

TEST(Levels, a_denial_may_be_a_warning_or_nothing) {
  const auto warned =
      admit(bad_topology(), {.config = with(Finding::topology_malformed, Level::warn)});
  EXPECT_TRUE(warned.allowed);
  EXPECT_EQ(warned.patch, json::array());
  ASSERT_EQ(warned.warnings.size(), 1u);
  EXPECT_TRUE(warned.warnings[0].starts_with("TPU-102: "));
  EXPECT_TRUE(warned.warnings[0].ends_with("; nothing was injected"));
  const auto silent =
      admit(bad_topology(), {.config = with(Finding::topology_malformed, Level::off)});
  EXPECT_TRUE(silent.allowed);
  EXPECT_TRUE(silent.warnings.empty());
}

TEST(Levels, a_warning_may_deny_or_not_be_said) {
  const auto denied = admit(own_port(), {.config = with(Finding::value_kept, Level::deny)});
  EXPECT_FALSE(denied.allowed);
  EXPECT_EQ(denied.reason, Reason::forbidden);
  EXPECT_TRUE(denied.message.starts_with("TPU-502: TPU_WORKER_ID")) << denied.message;
  EXPECT_TRUE(denied.warnings.empty());
  const auto silent = admit(own_port(), {.config = with(Finding::value_kept, Level::off)});
  EXPECT_TRUE(silent.warnings.empty());
  EXPECT_NE(silent.patch, json::array());
}

TEST(Levels, hold_for_what_is_no_number_of_chips) {
  const auto pod = a_pod().job("train", 1).on("2x4", "1500m");
  EXPECT_FALSE(admit(pod).allowed);
  const auto warned = admit(pod, {.config = with(Finding::chips_invalid, Level::warn)});
  EXPECT_TRUE(warned.allowed);
  EXPECT_TRUE(has(warned.warnings, "TPU-104: "));
}

// Of a Pod that is not changed otherwise.
TEST(Levels, a_warning_may_deny_what_is_left_alone) {
  const auto pod = a_pod().job("train", 1).accelerator("").tpu(4);
  ASSERT_NE(admit(pod).warning("TPU-105: "), "");
  const auto denied = admit(pod, {.config = with(Finding::topology_missing, Level::deny)});
  EXPECT_FALSE(denied.allowed);
  EXPECT_TRUE(denied.message.starts_with("TPU-105: ")) << denied.message;
}

TEST(Levels, of_a_namespace_win) {
  config::Config config = with(Finding::value_kept, Level::deny);
  config.per_namespace["research"].findings.set(Finding::value_kept, Level::off);
  json review = own_port().review_json();
  review["request"]["namespace"] = "research";
  EXPECT_TRUE(admit(review.dump(), {.config = config}).allowed);
  review["request"]["namespace"] = "team";
  EXPECT_FALSE(admit(review.dump(), {.config = config}).allowed);
}

TEST(Levels, a_pod_that_asks_for_no_check_is_not_denied) {
  const std::string skip = "cloud.google.com/skip-tpu-webhook-check";
  EXPECT_TRUE(admit(bad_topology().annotation(skip, "true"),
                    {.config = with(Finding::topology_malformed, Level::deny)})
                  .allowed);
}

TEST(Levels, in_shadow_nothing_is_denied) {
  config::Config config = with(Finding::value_kept, Level::deny);
  config.mode = config::Mode::shadow;
  const auto answer = admit(own_port(), {.config = config});
  EXPECT_TRUE(answer.allowed);
  EXPECT_TRUE(has(answer.warnings, "would have been denied: TPU-502: "));
}

TEST(Levels, hold_for_templates_too) {
  const auto job = a_job({{"completionMode", "Indexed"}, {"completions", 1}, {"parallelism", 1}},
                         a_template("4x4", 4));
  EXPECT_TRUE(validated(job).allowed);
  const auto denied = validated(job, {.config = with(Finding::job_too_few, Level::deny)});
  EXPECT_FALSE(denied.allowed);
  EXPECT_EQ(denied.reason, Reason::forbidden);
  EXPECT_TRUE(has(denied.message, "is refused by the configuration: TPU-405: "));
  EXPECT_FALSE(
      has(validated(job, {.config = with(Finding::job_too_few, Level::off)}).warnings, "TPU-405"));
}

}  // namespace
}  // namespace tpuwh::webhook::decide
