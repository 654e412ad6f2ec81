#include "server/serve/https/body_pace.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::https {
namespace {

using namespace std::chrono_literals;

TEST(BodyPaceTest, begins_with_the_grace) {
  EXPECT_EQ(BodyPace().left(), limits::body_grace);
}

TEST(BodyPaceTest, a_trickle_uses_it_up) {
  BodyPace pace;
  for (int i = 0; i < 11; ++i) pace.on_bytes(100ms, 1);
  EXPECT_EQ(pace.left(), 0ms);
}

TEST(BodyPaceTest, bytes_earn_time_back) {
  BodyPace pace;
  pace.on_bytes(900ms, limits::body_bytes_per_second / 2);
  EXPECT_EQ(pace.left(), 600ms);
}

TEST(BodyPaceTest, nobody_saves_up_more_than_the_grace) {
  BodyPace pace;
  pace.on_bytes(0ms, 7u << 20);
  EXPECT_EQ(pace.left(), limits::body_grace);
}

TEST(BodyPaceTest, a_steady_body_at_twice_the_rate_goes_on) {
  BodyPace pace;
  for (int second = 0; second < 60; ++second) pace.on_bytes(500ms, limits::body_bytes_per_second);
  EXPECT_EQ(pace.left(), limits::body_grace);
}

}  // namespace
}  // namespace tpuwh::server::https
