#include "server/log/last_line.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

namespace tpuwh::server::log {
namespace {

std::string written(LogFormat format) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  {
    LastLine line(format, ends[1]);
    line.write(LogLevel::error, "it hangs",
               {{"loop", "reviews 1"}, {"seconds", std::uint64_t{20}}});
  }
  ::close(ends[1]);
  std::array<char, 1024> text{};
  const auto size = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  return {text.data(), static_cast<std::size_t>(std::max<long>(size, 0))};
}

TEST(LastLineTest, is_a_line_as_the_log_has_them) {
  const std::string time =
      "20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9][.]"
      "[0-9]{6}Z";
  EXPECT_THAT(written(LogFormat::text), testing::MatchesRegex("time=" + time +
                                                              " level=error msg=\"it hangs\" "
                                                              "loop=\"reviews 1\" seconds=20\n"));
  EXPECT_THAT(
      written(LogFormat::json),
      testing::MatchesRegex("[{]\"time\":\"" + time +
                            "\",\"level\":\"error\","
                            "\"msg\":\"it hangs\",\"loop\":\"reviews 1\",\"seconds\":20[}]\n"));
}

TEST(LastLineTest, is_not_waited_for_for_long) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  const std::string full(1 << 17, 'x');
  EXPECT_GT(::write(ends[1], full.data(), full.size()), 0);
  const auto start = std::chrono::steady_clock::now();
  {
    LastLine line(LogFormat::text, ends[1]);
    line.write(LogLevel::error, "it hangs", {});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(LastLineTest, need_not_be_written) {
  LastLine line(LogFormat::text, -1);
}

}  // namespace
}  // namespace tpuwh::server::log
