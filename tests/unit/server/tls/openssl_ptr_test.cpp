#include "server/tls/openssl_ptr.hpp"

#include "server/tls/context.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace tpuwh::server::tls {
namespace {

// A certificate without an end was taken for one that had expired in 1816.
TEST(AsnTime, is_the_nearest_that_the_clock_counts) {
  for (const auto& [generalized, want] : {std::pair{"99991231235959Z", "2262-04-11T23:47:16Z"},
                                          {"22630101000000Z", "2262-04-11T23:47:16Z"},
                                          {"22620411234716Z", "2262-04-11T23:47:16Z"},
                                          {"22620411234715Z", "2262-04-11T23:47:15Z"},
                                          {"20260105100000Z", "2026-01-05T10:00:00Z"},
                                          {"17000101000000Z", "1700-01-01T00:00:00Z"},
                                          {"00010101000000Z", "1677-09-21T00:12:44Z"}}) {
    const std::unique_ptr<ASN1_TIME, Free<ASN1_TIME_free>> time(ASN1_TIME_new());
    ASSERT_EQ(ASN1_TIME_set_string(time.get(), generalized), 1);
    const auto read = to_time(time.get());
    ASSERT_TRUE(read);
    EXPECT_EQ(to_text(*read), want) << generalized;
  }
}

}  // namespace
}  // namespace tpuwh::server::tls
