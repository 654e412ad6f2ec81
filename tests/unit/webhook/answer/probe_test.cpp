// The answer to who asks whether this program is asked at all.
#include "webhook/answer/probe.hpp"

#include "tests/support/admitted.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tpuwh::webhook::answer {
namespace {

using namespace test;
using test::admit;

const std::vector<std::string> no_warnings;
constexpr auto probe_key = "tpu-webhook.dev/probe";
constexpr auto nonce = "0f3a-Z9";

Around around(const char* replica = "tpu-webhook-7d9f-x2x4z") {
  Around out;
  out.config.replica = replica;
  return out;
}

PodBuilder member() {
  return a_pod().job("train", 1).on("2x4", 4).annotation(probe_key, nonce);
}

std::string dry(const PodBuilder& pod, bool dry_run = true) {
  json review = pod.review_json();
  review["request"]["dryRun"] = dry_run;
  return review.dump();
}

TEST(Probe, the_first_warning_of_a_dry_run_repeats_the_nonce_and_names_the_replica) {
  const auto answer = admit(dry(member().env("TPU_WORKER_ID", "7")), around());
  ASSERT_EQ(answer.warnings.size(), 2u);
  EXPECT_EQ(answer.warnings.front(),
            "probe 0f3a-Z9: answered by tpu-webhook-7d9f-x2x4z of tpu-webhook");
  EXPECT_EQ(replica_of(answer.warnings.front(), nonce), "tpu-webhook-7d9f-x2x4z");
}

TEST(Probe, nothing_is_said_of_it_when_the_pod_is_created) {
  EXPECT_EQ(admit(dry(member(), false), around()).warnings, no_warnings);
  EXPECT_EQ(admit(member(), around()).warnings, no_warnings);
}

// Whoever reads the annotation for more than the warning would show it here.
TEST(Probe, all_else_of_the_answer_is_as_without_it) {
  const auto with = admit(dry(member()), around());
  const auto without = admit(dry(a_pod().job("train", 1).on("2x4", 4).annotation("a", "b")));
  EXPECT_EQ(with.patch.size(), without.patch.size());
  EXPECT_EQ(with.outcome, Outcome::patched);
  EXPECT_EQ(annotation(with, probe_key), nonce);
}

TEST(Probe, is_answered_in_shadow_mode_of_what_is_refused_and_of_what_is_left_alone) {
  const std::string said = probe_text(nonce, "r");
  auto shadow = around("r");
  shadow.config.mode = config::Mode::shadow;
  EXPECT_EQ(admit(dry(member()), shadow).warnings.front(), said);
  const auto refused = admit(dry(member().topology("3x3")), around("r"));
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.warnings.front(), said);
  EXPECT_EQ(admit(dry(a_pod().annotation(probe_key, nonce)), around("r")).warnings,
            std::vector<std::string>{said});
}

// Only the creation of a Pod is answered.
TEST(Probe, an_update_is_none) {
  json review = member().review_json();
  review["request"]["dryRun"] = true;
  review["request"]["operation"] = "UPDATE";
  EXPECT_EQ(admit(review.dump(), around()).warnings, no_warnings);
}

TEST(Probe, a_replica_without_a_name_that_dns_knows_is_not_named) {
  for (const char* name : {"", "a b", "x\r\ny", "\x1b[2J", "_"})
    EXPECT_EQ(probe_text("n", name),
              "probe n: answered by a process without a name of tpu-webhook");
}

TEST(WhatIsNoNonce, is_not_repeated) {
  for (const std::string& value :
       {std::string(), std::string("a b"), std::string("a\nb"), std::string("a\"b"),
        std::string("\x1b[2J"), std::string("ä"), std::string("<b>"), std::string("a/b"),
        std::string(65, 'a'), std::string(200'000, 'a')}) {
    EXPECT_FALSE(is_nonce(value));
    const auto answer = test::admit(
        dry(a_pod().job("train", 1).on("2x4", 4).annotation(probe_key, value)), around());
    EXPECT_EQ(answer.warnings, no_warnings);
    EXPECT_FALSE(has(answer.body, "answered by"));
  }
}

TEST(Probe, a_nonce_is_letters_digits_and_dashes) {
  const std::string_view all = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (int c = 0; c < 128; ++c) {
    const std::string text(1, static_cast<char>(c));
    EXPECT_EQ(is_nonce(text), all.find(text) != std::string_view::npos) << c;
  }
}

TEST(Probe, the_longest_nonce_is_repeated) {
  const std::string longest(longest_nonce, 'z');
  const auto answer = admit(dry(a_pod().annotation(probe_key, longest)), around("r"));
  EXPECT_EQ(answer.warnings, std::vector<std::string>{probe_text(longest, "r")});
}

TEST(Probe, another_text_names_no_replica) {
  EXPECT_EQ(replica_of(probe_text("n1", "r"), "n1"), "r");
  EXPECT_EQ(replica_of(probe_text("n1", "r"), "n2"), "");
  EXPECT_EQ(replica_of(probe_text("n1", "r"), "n"), "");
  EXPECT_EQ(replica_of("probe n1: answered by r", "n1"), "");
  EXPECT_EQ(replica_of("probe n1: answered by", "n1"), "");
  EXPECT_EQ(replica_of("", "n1"), "");
}

// The shadow entry has its own configuration, of the same replica.
TEST(Probe, the_shadow_path_names_the_same_replica) {
  config::Config config;
  config.replica = "r";
  EXPECT_EQ(config.in_shadow().replica, "r");
}

}  // namespace
}  // namespace tpuwh::webhook::answer
