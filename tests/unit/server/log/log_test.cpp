#include "server/log/log.hpp"

#include "server/log/sink.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <unistd.h>

#include <array>

namespace tpuwh::server::log {
namespace {

std::string text(std::string_view message, std::initializer_list<LogField> fields) {
  return format_fields(LogFormat::text, message, fields);
}

std::string json(std::string_view message, std::initializer_list<LogField> fields) {
  return format_fields(LogFormat::json, message, fields);
}

TEST(LogTest, writes_plain_words_as_they_are) {
  EXPECT_EQ(text("review", {{"uid", "705ab4f5"}, {"worker", std::uint64_t{3}}, {"dry_run", false}}),
            " msg=review uid=705ab4f5 worker=3 dry_run=false");
  EXPECT_EQ(json("review", {{"uid", "705ab4f5"}, {"worker", std::uint64_t{3}}, {"dry_run", true}}),
            R"(,"msg":"review","uid":"705ab4f5","worker":3,"dry_run":true})");
}

TEST(LogTest, quotes_what_would_split_or_forge_a_field) {
  EXPECT_EQ(text("two words", {{"empty", ""}, {"pair", "a=b"}, {"quote", "a\"b\\c"}}),
            R"( msg="two words" empty="" pair="a=b" quote="a\"b\\c")");
}

TEST(LogTest, keeps_a_line_a_line) {
  EXPECT_EQ(text("m", {{"uid", "a\nmsg=forged\r\x1b[31m"}}), R"( msg=m uid="a\nmsg=forged??[31m")");
  EXPECT_EQ(json("m", {{"uid", "a\n\"}\xff\x01"}}), R"(,"msg":"m","uid":"a\n\"}??"})");
}

TEST(LogTest, cuts_long_values) {
  const std::string line = text("m", {{"uid", std::string(10'000, 'x')}});
  EXPECT_LT(line.size(), 300u);
  EXPECT_TRUE(line.ends_with("xxx...\""));
}

std::string read_all(int file) {
  std::string all;
  std::array<char, 4096> block;
  for (;;) {
    const auto size = ::read(file, block.data(), block.size());
    if (size <= 0) return all;
    all.append(block.data(), static_cast<std::size_t>(size));
  }
}

TEST(LogSinkTest, writes_every_line_before_it_ends) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  {
    spdlog::logger logger("test", std::make_shared<LogSink>(LogFormat::text, ends[1]));
    logger.info(" msg=one");
    logger.warn(" msg=two");
  }
  close(ends[1]);
  const std::string time = "time=[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[.][0-9]{6}Z";
  EXPECT_THAT(read_all(ends[0]), testing::MatchesRegex(time + " level=info msg=one\n" + time +
                                                       " level=warn msg=two\n"));
  close(ends[0]);
}

TEST(LogSinkTest, writes_json_lines) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  {
    spdlog::logger logger("test", std::make_shared<LogSink>(LogFormat::json, ends[1]));
    logger.error(R"(,"msg":"one"})");
  }
  close(ends[1]);
  EXPECT_THAT(read_all(ends[0]),
              testing::MatchesRegex(
                  "[{]\"time\":\"[-0-9T:.]+Z\",\"level\":\"error\",\"msg\":\"one\"[}]\n"));
  close(ends[0]);
}

// Nobody reads: lines are dropped and counted, and neither a caller nor the end waits
// for long.
TEST(LogSinkTest, does_not_wait_for_a_reader_that_sleeps) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const auto start = std::chrono::steady_clock::now();
  {
    spdlog::logger logger("test", std::make_shared<LogSink>(LogFormat::text, ends[1]));
    const std::string line(1000, 'x');
    for (std::size_t i = 0; i < 2 * LogSink::most_bytes / line.size(); ++i) logger.info(line);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace tpuwh::server::log
