#include "server/kube/client/token_bucket.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::kube::client {
namespace {

using namespace std::chrono_literals;

constexpr net::TimePoint start{1h};

TEST(TokenBucketTest, gives_a_burst_and_then_a_steady_rate) {
  TokenBucket bucket(10, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bucket.take(start), 0s);
  EXPECT_EQ(bucket.take(start), 100ms);
  EXPECT_EQ(bucket.take(start), 200ms);
  EXPECT_EQ(bucket.take(start + 250ms), 50ms);  // 2.5 of 3 owed came back
}

TEST(TokenBucketTest, saves_no_more_than_a_burst) {
  TokenBucket bucket(10, 2);
  EXPECT_EQ(bucket.take(start), 0s);
  EXPECT_EQ(bucket.take(start + 1h), 0s);
  EXPECT_EQ(bucket.take(start + 1h), 0s);
  EXPECT_EQ(bucket.take(start + 1h), 100ms);
}

TEST(TokenBucketTest, time_that_stands_still_or_goes_back_gives_nothing) {
  TokenBucket bucket(10, 1);
  EXPECT_EQ(bucket.take(start), 0s);
  EXPECT_EQ(bucket.take(start - 1s), 100ms);
  EXPECT_EQ(bucket.take(start), 200ms);
}

}  // namespace
}  // namespace tpuwh::server::kube::client
