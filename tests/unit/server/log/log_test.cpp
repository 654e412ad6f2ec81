#include "server/log/log.hpp"

#include "server/log/output.hpp"
#include "server/log/sink.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <regex>
#include <string>
#include <thread>

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

// A pipe, and a reader that looks at it without waiting.
class Pipe {
 public:
  Pipe() {
    EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
    ::fcntl(reading(), F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    ::close(reading());
    ::close(writing());
  }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  std::string read() const { return read_all(reading()); }

 private:
  std::array<int, 2> ends_{};
};

TEST(LogSinkTest, writes_every_line_before_it_ends) {
  Pipe text, json;
  {
    spdlog::logger logger("test", std::make_shared<LogSink>(LogFormat::text, text.writing()));
    logger.info(" msg=one");
    logger.warn(" msg=two");
    spdlog::logger other("test", std::make_shared<LogSink>(LogFormat::json, json.writing()));
    other.error(R"(,"msg":"one"})");
  }
  const std::string time = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[.][0-9]{6}Z";
  EXPECT_THAT(text.read(), testing::MatchesRegex("time=" + time + " level=info msg=one\ntime=" +
                                                 time + " level=warn msg=two\n"));
  EXPECT_THAT(json.read(), testing::MatchesRegex("[{]\"time\":\"" + time +
                                                 "\",\"level\":\"error\",\"msg\":\"one\"[}]\n"));
}

long count_lines(std::string_view text) {
  return std::ranges::count(text, '\n');
}

TEST(LogSinkTest, a_flush_writes_all_lines_of_a_turn_at_once) {
  Pipe pipe;
  LogSink sink(LogFormat::text, pipe.writing());
  for (int i = 0; i < 50; ++i) sink.log({"test", spdlog::level::info, " msg=review"});
  EXPECT_EQ(pipe.read(), "");
  sink.flush();
  EXPECT_EQ(count_lines(pipe.read()), 50);
  EXPECT_LE(sink.writes(), 2u);  // one more where the kernel cannot decline to wait
}

TEST(LogSinkTest, a_turn_with_many_lines_does_not_wait_for_its_end) {
  Pipe pipe;
  LogSink sink(LogFormat::text, pipe.writing());
  const std::string line(LogSink::turn_bytes / 8, 'x');
  for (int i = 0; i < 9; ++i) sink.log({"test", spdlog::level::info, line});
  EXPECT_GE(count_lines(pipe.read()), 7);
}

TEST(LogSinkTest, a_line_that_nobody_flushes_is_written_soon) {
  Pipe pipe;
  LogSink sink(LogFormat::text, pipe.writing());
  sink.log({"test", spdlog::level::info, " msg=one"});
  std::this_thread::sleep_for(3 * LogSink::most_delay);
  EXPECT_EQ(count_lines(pipe.read()), 1);
  sink.log({"test", spdlog::level::info, " msg=two"});  // the writer sleeps again
  std::this_thread::sleep_for(3 * LogSink::most_delay);
  EXPECT_EQ(count_lines(pipe.read()), 1);
}

// A pipe holds 64 KiB: the rest waits in memory, in order, until somebody reads.
TEST(LogSinkTest, what_the_reader_does_not_take_is_written_later) {
  Pipe pipe;
  LogSink sink(LogFormat::text, pipe.writing());
  const std::string padding(1000, 'x');
  for (int i = 0; i < 500; ++i) {
    const std::string line = " n=" + std::to_string(i) + " " + padding;
    sink.log({"test", spdlog::level::info, line});
    sink.flush();
  }
  std::string all;
  for (int tries = 0; tries < 100 && count_lines(all) < 500; ++tries) {
    all += pipe.read();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ASSERT_EQ(count_lines(all), 500);
  std::size_t from = 0;
  for (int i = 0; i < 500; ++i) {
    from = all.find(" n=" + std::to_string(i) + " ", from);
    ASSERT_NE(from, std::string::npos) << i;
  }
}

TEST(LogSinkTest, says_how_many_lines_were_dropped) {
  Pipe pipe;
  LogSink sink(LogFormat::text, pipe.writing());
  const std::string line(1000, 'x');
  const std::size_t most = 2 * LogSink::most_bytes / line.size();
  for (std::size_t i = 0; i < most; ++i) sink.log({"test", spdlog::level::info, line});
  std::string all;
  for (int tries = 0; tries < 300 && all.find("dropped") == std::string::npos; ++tries) {
    all += pipe.read();
    sink.flush();
  }
  all += pipe.read();
  std::smatch said;
  ASSERT_TRUE(std::regex_search(all, said, std::regex("log lines dropped\" count=([0-9]+)")));
  sink.flush();
  all += pipe.read();
  EXPECT_EQ(std::stoul(said[1]) + static_cast<std::size_t>(count_lines(all)) - 1, most);
}

// A reader of a named pipe, a file or a terminal: the kernel cannot be asked not to wait.
TEST(OutputTest, writes_to_a_file) {
  const int file = ::memfd_create("log", MFD_CLOEXEC);
  ASSERT_GE(file, 0);
  const std::string bytes(10'000, 'x');
  Output output(file);
  EXPECT_EQ(output.write_now(bytes), bytes.size());
  ::lseek(file, 0, SEEK_SET);
  EXPECT_EQ(read_all(file), bytes);
  ::close(file);
}

TEST(OutputTest, takes_what_a_pipe_has_room_for_and_no_more) {
  Pipe pipe;
  Output output(pipe.writing());
  const std::string bytes(200'000, 'x');
  const std::size_t written = output.write_now(bytes);
  EXPECT_GT(written, 0u);
  EXPECT_LT(written, bytes.size());
  EXPECT_EQ(output.write_now(bytes), 0u);
  EXPECT_FALSE(output.wait(std::chrono::milliseconds(1)));
  EXPECT_EQ(pipe.read().size(), written);
  EXPECT_TRUE(output.wait(std::chrono::milliseconds(1)));
}

TEST(OutputTest, says_that_nobody_will_read) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::close(ends[0]);
  ::signal(SIGPIPE, SIG_IGN);
  Output output(ends[1]);
  EXPECT_EQ(output.write_now("lines"), 0u);
  EXPECT_EQ(output.error(), EPIPE);
  ::close(ends[1]);
}

// A file that may have so many bytes, as on a disk that is full.
class FullFile {
 public:
  FullFile() {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    EXPECT_GE(file_, 0);
  }
  ~FullFile() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::close(file_);
  }
  void hold(rlim_t bytes) {
    const rlimit limit{bytes, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  int file() const { return file_; }
  std::string text() const {
    ::lseek(file_, 0, SEEK_SET);
    return read_all(file_);
  }

 private:
  const int file_ = ::memfd_create("log", MFD_CLOEXEC);
  rlimit before_{};
};

TEST(OutputTest, begins_a_line_where_one_was_cut) {
  FullFile disk;
  Output output(disk.file());
  disk.hold(10);
  EXPECT_EQ(output.write_now("line one\nline two\n"), 10u);
  EXPECT_EQ(output.error(), EFBIG);
  EXPECT_EQ(output.write_now("line three\n"), 0u) << "full yet";
  EXPECT_TRUE(output.failed());
  disk.hold(1000);
  EXPECT_EQ(output.write_now("line four\n"), 10u);
  EXPECT_FALSE(output.failed());
  EXPECT_EQ(output.write_now("line five\n"), 10u);
  EXPECT_EQ(disk.text(), "line one\nl\nline four\nline five\n");
}

TEST(OutputTest, adds_no_line_where_none_was_cut) {
  FullFile disk;
  Output output(disk.file());
  disk.hold(9);
  EXPECT_EQ(output.write_now("line one\nline two\n"), 9u);
  disk.hold(1000);
  EXPECT_EQ(output.write_now("line three\n"), 11u);
  EXPECT_EQ(disk.text(), "line one\nline three\n");
}

// Of 600 lines 460 had gone without a word, and one stood behind half of another.
TEST(LogSinkTest, counts_what_a_full_disk_does_not_take) {
  FullFile disk;
  {
    LogSink sink(LogFormat::text, disk.file());
    disk.hold(2000);
    for (int i = 0; i < 100; ++i) {
      sink.log({"test", spdlog::level::info, " msg=review"});
      sink.flush();
    }
    disk.hold(100'000);
    for (int i = 0; i < 10; ++i) {
      sink.log({"test", spdlog::level::info, " msg=review"});
      sink.flush();
    }
  }
  const std::string all = disk.text();
  const std::string line = "time=[^ \n]* level=info msg=review\n";
  EXPECT_TRUE(std::regex_match(all, std::regex("(" + line + ")*[^\n]*\n" +
                                               "(level=error msg=\"log lines dropped\" "
                                               "count=[0-9]+\n)(" +
                                               line + "){10}")))
      << all;
  const std::regex whole(line);
  const auto written = std::distance(std::sregex_iterator(all.begin(), all.end(), whole), {});
  std::smatch said;
  ASSERT_TRUE(std::regex_search(all, said, std::regex("dropped\" count=([0-9]+)")));
  EXPECT_EQ(written + std::stol(said[1]), 110);
}

TEST(LogSinkTest, says_at_its_end_what_was_dropped) {
  FullFile disk;
  {
    LogSink sink(LogFormat::text, disk.file());
    disk.hold(0);
    for (int i = 0; i < 3; ++i) {
      sink.log({"test", spdlog::level::info, " msg=review"});
      sink.flush();
    }
    disk.hold(100'000);
  }
  EXPECT_EQ(disk.text(), "level=error msg=\"log lines dropped\" count=3\n");
}

// Nobody reads: lines are dropped and counted, and neither a caller nor the end waits
// for long.
TEST(LogSinkTest, does_not_wait_for_a_reader_that_sleeps) {
  Pipe pipe;
  const auto start = std::chrono::steady_clock::now();
  {
    spdlog::logger logger("test", std::make_shared<LogSink>(LogFormat::text, pipe.writing()));
    const std::string line(1000, 'x');
    for (std::size_t i = 0; i < 2 * LogSink::most_bytes / line.size(); ++i) logger.info(line);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace tpuwh::server::log
