#include "server/tls/openssl_ptr.hpp"

#include "server/tls/context.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::tls {
namespace {

struct TimeCase {
  const char* name;
  const char* generalized;
  const char* want;
};

class AsnTime : public testing::TestWithParam<TimeCase> {};

// A certificate without an end was taken for one that had expired in 1816.
TEST_P(AsnTime, is_the_nearest_that_the_clock_counts) {
  const std::unique_ptr<ASN1_TIME, Free<ASN1_TIME_free>> time(ASN1_TIME_new());
  ASSERT_EQ(ASN1_TIME_set_string(time.get(), GetParam().generalized), 1);
  const auto read = to_time(time.get());
  ASSERT_TRUE(read);
  EXPECT_EQ(to_text(*read), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All, AsnTime,
    testing::Values(TimeCase{"no_end", "99991231235959Z", "2262-04-11T23:47:16Z"},
                    TimeCase{"in_2263", "22630101000000Z", "2262-04-11T23:47:16Z"},
                    TimeCase{"the_last_second", "22620411234716Z", "2262-04-11T23:47:16Z"},
                    TimeCase{"one_before", "22620411234715Z", "2262-04-11T23:47:15Z"},
                    TimeCase{"today", "20260105100000Z", "2026-01-05T10:00:00Z"},
                    TimeCase{"in_1700", "17000101000000Z", "1700-01-01T00:00:00Z"},
                    TimeCase{"far_past", "00010101000000Z", "1677-09-21T00:12:44Z"}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace tpuwh::server::tls
