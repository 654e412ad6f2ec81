// Shadow mode and switched-off workload APIs (docs/decisions/0019).
#include "tests/support/admitted.hpp"

#include <gtest/gtest.h>

namespace tpuwh::webhook::answer {
namespace {

using namespace test;
using test::admit;

PodBuilder job() {
  return a_pod().job("train", 1).on("2x4", 4);
}
PodBuilder ray() {
  return a_pod().ray("c", "g", 1, 1).on("2x4", 4);
}

Around shadow() {
  Around around;
  around.config.mode = config::Mode::shadow;
  return around;
}

Around only(config::WorkloadSet workloads) {
  Around around;
  around.config.workloads = workloads;
  return around;
}

TEST(Shadow, allows_unchanged_what_it_would_have_patched) {
  const auto answer = admit(job(), shadow());
  EXPECT_TRUE(answer.allowed);
  EXPECT_TRUE(answer.patch.empty()) << answer.patch;
  EXPECT_EQ(answer.outcome, Outcome::patched);
  EXPECT_EQ(answer.reason, Reason::injected);
  EXPECT_TRUE(has(answer.warnings, "would have been patched as host 1 of 2"));
  EXPECT_TRUE(has(answer.body, R"("mode":"shadow")"));
}

TEST(Shadow, allows_what_it_would_have_refused_and_says_why) {
  const auto pod = a_pod().job("train", 7).on("2x4", 4);
  ASSERT_FALSE(admit(pod).allowed);
  const auto answer = admit(pod, shadow());
  EXPECT_TRUE(answer.allowed);
  EXPECT_EQ(answer.outcome, Outcome::denied);
  EXPECT_TRUE(has(answer.warnings, "would have been denied: "));
  EXPECT_TRUE(has(answer.warnings, "whole number from 0 to 1"));
}

TEST(Shadow, allows_chips_that_are_no_number_of_chips) {
  const auto pod = a_pod().job("train", 1).on("2x4", "1500m");
  ASSERT_FALSE(admit(pod).allowed);
  EXPECT_FALSE(admit(pod).shadow);
  const auto answer = admit(pod, shadow());
  EXPECT_TRUE(answer.allowed);
  EXPECT_TRUE(answer.shadow);
  EXPECT_EQ(answer.outcome, Outcome::denied);
  EXPECT_TRUE(has(answer.warnings, "shadow mode: this Pod would have been denied: "));
}

TEST(Shadow, says_nothing_of_a_pod_that_is_none_of_its_business) {
  const auto answer = admit(a_pod(), shadow());
  EXPECT_TRUE(answer.allowed);
  EXPECT_TRUE(answer.warnings.empty());
}

TEST(Shadow, is_said_of_each_pod) {
  for (const PodBuilder& pod :
       {a_pod(), job(), job().ours("inject", "false"), job().tpu("1500m")}) {
    EXPECT_TRUE(admit(pod, shadow()).shadow) << pod.pod();
    EXPECT_FALSE(admit(pod).shadow) << pod.pod();
  }
}

TEST(Workloads, of_a_switched_off_api_are_left_alone) {
  const auto answer = admit(ray(), only({config::WorkloadKind::job, config::WorkloadKind::jobset}));
  EXPECT_TRUE(answer.patch.empty()) << answer.patch;
  EXPECT_EQ(answer.reason, Reason::switched_off);
  EXPECT_TRUE(answer.warnings.empty());
  EXPECT_FALSE(
      admit(job(), only({config::WorkloadKind::job, config::WorkloadKind::jobset})).patch.empty());
}

// Not handed down to a rule that knows less: a JobSet's Pod is a Job's Pod too.
TEST(Workloads, of_job_set_are_not_taken_for_jobs) {
  const auto answer =
      admit(a_pod().jobset("s", "r", 2, 1, 1).on("2x4", 4), only({config::WorkloadKind::job}));
  EXPECT_EQ(answer.reason, Reason::switched_off);
}

Around ray_in(config::Mode mode, config::Mode others) {
  Around around;
  around.config.mode = others;
  around.config.of(config::WorkloadKind::ray).mode = mode;
  return around;
}

TEST(ModePerWorkload, shadows_one_api_alone) {
  const auto around = ray_in(config::Mode::shadow, config::Mode::enforce);
  const auto shadowed = admit(ray(), around);
  EXPECT_TRUE(shadowed.patch.empty()) << shadowed.patch;
  EXPECT_TRUE(shadowed.shadow);
  const auto patched = admit(job(), around);
  EXPECT_FALSE(patched.patch.empty());
  EXPECT_FALSE(patched.shadow);
}

TEST(ModePerWorkload, enforces_one_api_alone) {
  const auto around = ray_in(config::Mode::enforce, config::Mode::shadow);
  EXPECT_FALSE(admit(ray(), around).patch.empty());
  EXPECT_TRUE(admit(job(), around).patch.empty());
  const auto denied = a_pod().job("train", 7).on("2x4", 4);
  EXPECT_TRUE(admit(denied, around).allowed);
  EXPECT_FALSE(admit(denied, ray_in(config::Mode::shadow, config::Mode::enforce)).allowed);
}

// /shadow promises that nothing is changed, whatever the configuration says.
TEST(ModePerWorkload, config_in_shadow_shadows_all) {
  Around around = ray_in(config::Mode::enforce, config::Mode::enforce);
  around.config = around.config.in_shadow();
  EXPECT_TRUE(admit(ray(), around).patch.empty());
  EXPECT_TRUE(admit(job(), around).patch.empty());
}

}  // namespace
}  // namespace tpuwh::webhook::answer
