// However the bytes of a request are cut, it ends, and where it ends, and what is made of it, is
// the same. `GET / HTTP/1.1\r\n\rX` once kept an event loop for ever: what Beast had used up ended
// within a line.
#include "server/serve/https/folded_line.hpp"
#include "server/serve/https/request_parser.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace tpuwh::server::https {
namespace {

using State = RequestParser::State;
using namespace std::string_literals;
using namespace std::string_view_literals;

// What has no end ends the program: so much CPU time has no test here.
class RequestSplits : public testing::Test {
 protected:
  void SetUp() override { limit(60); }
  void TearDown() override { limit(0); }

 private:
  static void limit(int seconds) {
    itimerval timer{};
    timer.it_value.tv_sec = seconds;
    ::setitimer(ITIMER_PROF, &timer, nullptr);
  }
};

// Behind every text: it ends a head that has not ended, and may be taken for a second request.
constexpr auto next_request = "GET /next HTTP/1.1\r\nHost: h\r\n\r\n"sv;

// What becomes of the first request. Not the status of a refusal: of two faults, that is told which
// was met first.
struct Fate {
  State state = State::need_more;
  std::size_t used = 0;  // where a request that is complete has ended
  RequestHead head;
  std::string body;

  std::string told() const {
    return fmt::format("state {} used {} method {} target \"{}\" keep {} body \"{}\"",
                       static_cast<int>(state), used, static_cast<int>(head.method), head.target,
                       head.keep_alive, body);
  }
};

// As a session gives it: what is there, then what has come besides. `ends` says how many bytes are
// there at each time.
Fate parse(std::string_view text, std::span<const std::size_t> ends) {
  Fate fate;
  RequestParser parser(fate.head, fate.body);
  std::size_t begin = 0;
  std::size_t steps = 0;
  const auto over = [&] { return fate.state == State::refused || fate.state == State::complete; };
  for (const std::size_t end : ends) {
    do {
      const auto step = parser.read(text.substr(begin, end - begin));
      begin += step.used;
      fate.state = step.state;
      // A head and a body at each end, at most.
      if (begin > end || ++steps > 2 * ends.size()) throw std::runtime_error("does not end");
    } while (fate.state == State::head);
    if (over()) break;
  }
  if (fate.state == State::refused) {
    fate.head.clear();
    fate.body.clear();
  } else {
    fate.used = begin;
  }
  return fate;
}

// In one piece, in two of every size, and byte by byte.
void expect_one_fate(const std::string& text) {
  const std::string all = text + std::string(next_request);
  const std::string whole = parse(all, std::array{all.size()}).told();
  for (std::size_t at = 0; at <= all.size(); ++at) {
    const std::string cut = parse(all, std::array{at, all.size()}).told();
    ASSERT_EQ(cut, whole) << "cut at " << at << ": " << testing::PrintToString(all);
  }
  std::vector<std::size_t> bytes(all.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = i + 1;
  ASSERT_EQ(parse(all, bytes).told(), whole) << "byte by byte: " << testing::PrintToString(all);
}

template <class List>
const auto& pick(const List& list, std::mt19937& random) {
  return list[random() % std::size(list)];
}

constexpr std::array methods = {"GET"sv,  "POST"sv, "HEAD"sv, "PUT"sv, "OPTIONS"sv,
                                "BREW"sv, "post"sv, ""sv,     "G T"sv, "CONNECT"sv};
constexpr std::array targets = {"/mutate"sv,
                                "/mutate?timeout=10s"sv,
                                "https://h/mutate"sv,
                                "*"sv,
                                "h:443"sv,
                                ""sv,
                                "/a b"sv,
                                "/\x80"sv,
                                "/#"sv};
constexpr std::array versions = {"HTTP/1.1"sv, "HTTP/1.1"sv, "HTTP/1.1"sv, "HTTP/1.0"sv,
                                 "HTTP/1.2"sv, "HTTP/2.0"sv, "HTTP/11"sv,  ""sv};
// The first three are what a line ends in, more often than not.
constexpr std::array line_ends = {"\r\n"sv,   "\r\n"sv, "\r\n"sv,   "\n"sv,   "\r"sv,
                                  "\r\r\n"sv, "\n\r"sv, "\r\n\r"sv, " \r\n"sv};
constexpr std::array fields = {"Host: h"sv,
                               "Host: h"sv,
                               "host:h:443"sv,
                               "Host: [::1]:1"sv,
                               "Host: a, b"sv,
                               "Host: a:b:c"sv,
                               "Host:"sv,
                               "Content-Type: application/json"sv,
                               "Content-Length: 5"sv,
                               "Content-Length: 0"sv,
                               "Content-Length: 05"sv,
                               "Content-Length: 5, 5"sv,
                               "Content-Length: 40"sv,
                               "Content-Length: 99999999999999999999"sv,
                               "Transfer-Encoding: chunked"sv,
                               "Transfer-Encoding: chunked"sv,
                               "Transfer-Encoding: gzip, chunked"sv,
                               "Expect: 100-continue"sv,
                               "Connection: close"sv,
                               "Connection: @@@"sv,
                               "Upgrade: h2c"sv,
                               "X: a\r\n b"sv,
                               "X: a\r\n\tb"sv,
                               "X:\r\n \r\n  y"sv,
                               " X: y"sv,
                               "X : y"sv,
                               ": y"sv,
                               "X"sv,
                               "X: \0"sv,
                               "X: \xff"sv};
constexpr std::array chunks = {"5\r\nhello\r\n"sv, "1;a=b\r\nx\r\n"sv,  "00a\r\n0123456789\r\n"sv,
                               "2\r\nabc\r\n"sv,   "5\nhello\r\n"sv,    "5\r\nhello"sv,
                               "-1\r\n"sv,         "5 \r\nhello\r\n"sv, "1;\r\nx\r\n"sv,
                               "700001\r\n"sv,     "g\r\n"sv,           "fffffffffffffffff\r\n"sv};
constexpr std::array last_chunks = {"0\r\n"sv,         "0\r\n"sv, "000\r\n"sv,
                                    "0;a=\"b\"\r\n"sv, ""sv,      "0\n"sv};
constexpr std::array trailers = {"\r\n"sv,
                                 "X: y\r\n\r\n"sv,
                                 "X: a\r\n b\r\n\r\n"sv,
                                 "Content-Length: 1\r\n\r\n"sv,
                                 " X: y\r\n\r\n"sv,
                                 "X: y\r\n\rX"sv,
                                 "\rX\r\n"sv,
                                 ""sv};

std::string made_head(std::mt19937& random) {
  // Most parts are sound: else every request had a fault in its first line.
  const auto usual = [&](const auto& list) {
    return random() % 8 == 0 ? pick(list, random) : list[0];
  };
  std::string text = fmt::format("{} {} {}{}", pick(methods, random), usual(targets),
                                 usual(versions), usual(line_ends));
  for (std::size_t left = random() % 5; left > 0; --left)
    text += fmt::format("{}{}", pick(fields, random), usual(line_ends));
  if (random() % 2 == 0) text += fmt::format("Host: h{}", usual(line_ends));
  return text + std::string(usual(line_ends));
}

std::string made_body(std::mt19937& random) {
  if (random() % 3 == 0) return "hello";
  std::string text;
  for (std::size_t left = random() % 3; left > 0; --left)
    text += chunks[random() % (random() % 2 ? 3 : chunks.size())];
  text += pick(last_chunks, random);
  return text + std::string(pick(trailers, random));
}

constexpr auto odd_bytes = "\r\n \t:;,0aX\0\x7f\x80/\"="sv;

// A byte more, less, or another, at up to three places.
void spoil(std::string& text, std::mt19937& random) {
  for (std::size_t left = random() % 4; left > 0 && !text.empty(); --left) {
    const std::size_t at = random() % text.size();
    const char byte = odd_bytes[random() % odd_bytes.size()];
    if (random() % 3 == 0)
      text.insert(at, 1, byte);
    else if (random() % 2 == 0)
      text.erase(at, 1);
    else
      text[at] = byte;
  }
}

TEST_F(RequestSplits, of_a_line_that_begins_with_a_carriage_return_end) {
  for (const auto* text : {"GET / HTTP/1.1\r\n\rX", "GET / HTTP/1.1\r\n\r\r", "\r\rX", "\rX",
                           "GET / HTTP/1.1\r\nHost: h\r\n\rX"}) {
    RequestHead head;
    std::string body;
    RequestParser parser(head, body);
    EXPECT_EQ(parser.read(text).state, State::refused) << testing::PrintToString(text);
    expect_one_fate(text);
  }
}

// What an API server sends, and the same as others may send it.
TEST_F(RequestSplits, of_honest_requests_are_one_request) {
  const auto first =
      "POST /mutate?timeout=10s HTTP/1.1\r\nHost: tpu-webhook.ns.svc:443\r\n"
      "User-Agent: kube-apiserver-admission\r\nAccept: application/json, */*\r\n"
      "Content-Type: application/json\r\nAccept-Encoding: gzip\r\n"s;
  const auto length = first + "Content-Length: 5\r\n\r\nhello";
  const auto chunked = first +
                       "Transfer-Encoding: chunked\r\n\r\n3;x=\"y\"\r\nhel\r\n2\r\nlo\r\n0\r\n"
                       "X: y\r\n\r\n";
  for (const std::string& text : {length, chunked}) {
    const Fate fate = parse(text + std::string(next_request), std::array{text.size() + 10});
    EXPECT_EQ(fate.told(), parse(text, std::array{text.size()}).told());
    EXPECT_EQ(fate.state, State::complete);
    EXPECT_EQ(fate.used, text.size());
    EXPECT_EQ(fate.body, "hello");
    expect_one_fate(text);
  }
}

TEST_F(RequestSplits, of_made_requests_have_one_fate) {
  std::mt19937 random(30);
  for (int i = 0; i < 12'000 && !HasFatalFailure(); ++i) {
    std::string text = made_head(random) + made_body(random);
    if (i % 2 == 1) spoil(text, random);
    expect_one_fate(text);
  }
}

// Whatever has been used of a head.
TEST_F(RequestSplits, of_folded_lines_are_found_in_any_part_of_a_text) {
  std::mt19937 random(31);
  for (int i = 0; i < 3'000; ++i) {
    std::string text = made_head(random);
    spoil(text, random);
    for (std::size_t size = 0; size <= text.size(); ++size) {
      const auto part = std::string_view(text).substr(0, size);
      const bool want = part.find("\n ") != part.npos || part.find("\n\t") != part.npos;
      ASSERT_EQ(has_folded_line(part), want) << testing::PrintToString(part);
    }
  }
}

}  // namespace
}  // namespace tpuwh::server::https
