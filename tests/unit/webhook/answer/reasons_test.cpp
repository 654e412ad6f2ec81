#include "webhook/answer/reasons.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/admitted.hpp"

namespace tpuwh::webhook::answer {
namespace {

using outcome::Reason;

TEST(Reasons, have_words_of_their_own) {
  std::set<std::string_view> all;
  for (auto i = static_cast<int>(Reason::injected); i <= static_cast<int>(Reason::internal_error);
       ++i) {
    const auto reason = static_cast<Reason>(i);
    const std::string_view words = explain_reason(reason);
    EXPECT_NE(words.find(' '), std::string_view::npos) << outcome::name(reason);
    EXPECT_TRUE(all.insert(words).second) << words;
  }
}

// `review --output text --workloads ray` of a Job's Pod printed "because   switched_off".
TEST(Reasons, of_a_switched_off_api_name_the_flag) {
  test::Around around;
  around.config.workloads = {config::WorkloadKind::ray};
  const auto answer = test::admit(test::a_pod().job("train", 0).topology("2x4").tpu(4), around);
  ASSERT_EQ(answer.reason, Reason::switched_off);
  EXPECT_EQ(explain_reason(answer.reason), "this workload API is switched off (--workloads)");
}

}  // namespace
}  // namespace tpuwh::webhook::answer
