#include "server/text/duration.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::text {
namespace {

using namespace std::chrono_literals;

TEST(ParseDuration, reads_what_go_prints) {
  EXPECT_EQ(parse_duration("10s"), 10s);
  EXPECT_EQ(parse_duration("1m30s"), 90s);
  EXPECT_EQ(parse_duration("1m0s"), 60s);
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("900us"), 0ms);
  EXPECT_EQ(parse_duration("0"), 0ms);
  EXPECT_EQ(parse_duration("0s"), 0ms);
  EXPECT_EQ(parse_duration("24h"), 24h);
}

TEST(ParseDuration, refuses_anything_else_and_more_than_a_day) {
  for (const char* text : {"25h", "99999999999999999999999h", "", "10", "s", "-1s", "1.2.3s", "3d",
                           "infs", "1e3s", "1 s"})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tpuwh::server::text
