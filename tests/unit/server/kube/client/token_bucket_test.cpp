#include "server/kube/client/token_bucket.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::kube::client {
namespace {

using namespace std::chrono_literals;

constexpr net::TimePoint start{1h};

TEST(TokenBucketTest, gives_a_burst_and_then_a_steady_rate) {
  TokenBucket bucket({.per_second = 10, .burst = 3});
  EXPECT_EQ(bucket.turns(start), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(start));
  EXPECT_FALSE(bucket.take(start));
  EXPECT_EQ(bucket.turn(start, 0), start + 100ms);
  EXPECT_EQ(bucket.turn(start, 1), start + 200ms);
  EXPECT_EQ(bucket.turn(start + 250ms, 2), start + 300ms);  // 2.5 came back
  EXPECT_TRUE(bucket.take(start + 250ms));
}

TEST(TokenBucketTest, saves_no_more_than_a_burst) {
  TokenBucket bucket({.per_second = 10, .burst = 2});
  EXPECT_TRUE(bucket.take(start));
  EXPECT_TRUE(bucket.take(start + 1h));
  EXPECT_TRUE(bucket.take(start + 1h));
  EXPECT_FALSE(bucket.take(start + 1h));
}

TEST(TokenBucketTest, time_that_stands_still_or_goes_back_gives_nothing) {
  TokenBucket bucket({.per_second = 10, .burst = 1});
  EXPECT_TRUE(bucket.take(start));
  EXPECT_FALSE(bucket.take(start - 1s));
  EXPECT_FALSE(bucket.take(start));
  EXPECT_TRUE(bucket.take(start + 100ms));
}

// docs/decisions/0020: 600 groups that ask twice a second and give up left a debt that was never
// paid.
TEST(TokenBucketTest, what_is_asked_for_and_not_used_costs_nothing) {
  TokenBucket bucket({.per_second = 50, .burst = 100});
  for (int i = 0; i < 100; ++i) bucket.take(start);
  for (int i = 0; i < 100'000; ++i) {
    bucket.turn(start, 600);
    EXPECT_FALSE(bucket.take(start));
  }
  EXPECT_TRUE(bucket.take(start + 20ms));
}

TEST(TokenBucketTest, a_turn_is_there_when_it_was_said_to_be) {
  TokenBucket bucket(limits::api::questions);
  net::TimePoint now = start;
  for (int i = 0; i < 10'000; ++i) {
    now = bucket.turn(now, 0);
    ASSERT_TRUE(bucket.take(now)) << i;
  }
}

}  // namespace
}  // namespace tpuwh::server::kube::client
