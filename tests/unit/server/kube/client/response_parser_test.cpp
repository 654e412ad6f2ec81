#include "server/kube/client/response_parser.hpp"

#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::kube::client {
namespace {

using test::case_name;
using test::PrintTo;
using State = ResponseParser::State;

struct Answer {
  State state = State::need_more;
  ResponseHead head;
  std::string body, error, rest;
  bool keep = false;
};

// Gives `text` in pieces of `piece` bytes, then the end of the connection.
Answer parse(std::string_view text, std::size_t piece, std::size_t most_body = 1000) {
  Answer out;
  ResponseParser parser([&](std::string_view bytes) {
    if (out.body.size() + bytes.size() > most_body) return false;
    out.body += bytes;
    return true;
  });
  std::string pending;
  std::size_t at = 0;
  while (out.state == State::need_more || out.state == State::head) {
    if (out.state == State::need_more) {
      if (at >= text.size()) {
        out.state = parser.read_end();
        break;
      }
      pending += text.substr(at, piece);
      at += piece;
    }
    const auto progress = parser.read(pending);
    pending.erase(0, progress.used);
    out.state = progress.state;
  }
  out.head = parser.head();
  out.error = parser.error();
  out.rest = pending;
  out.keep = out.state == State::complete && parser.keeps_alive();
  return out;
}

struct Case {
  const char* name;
  std::string text, body;
  bool keep = true;
  unsigned status = 200;
  State state = State::complete;
};
const Case cases[] = {
    {"length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "abc"},
    {"no_body", "HTTP/1.1 204 No Content\r\n\r\n", "", true, 204},
    {"empty", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""},
    {"chunks",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n"
     "a\r\n0123456789\r\n0\r\n\r\n",
     "abc0123456789"},
    {"says_close", "HTTP/1.1 429 Busy\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", "x",
     false, 429},
    {"until_the_end", "HTTP/1.1 200 OK\r\n\r\nabc", "abc", false},
    {"cut_in_length", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc", "abc", false, 200,
     State::failed},
    {"cut_in_chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "abc",
     false, 200, State::failed},
    {"no_http", "SSH-2.0-OpenSSH_9\r\n", "", false, 0, State::failed},
};
class ResponseTest : public testing::TestWithParam<Case> {};

TEST_P(ResponseTest, is_the_same_however_it_is_cut) {
  for (std::size_t piece = 1; piece <= GetParam().text.size(); ++piece) {
    const Answer answer = parse(GetParam().text, piece);
    ASSERT_EQ(answer.state, GetParam().state) << piece << ": " << answer.error;
    EXPECT_EQ(answer.head.status, GetParam().status) << piece;
    EXPECT_EQ(answer.body, GetParam().body) << piece;
    EXPECT_EQ(answer.keep, GetParam().keep) << piece;
  }
}
INSTANTIATE_TEST_SUITE_P(, ResponseTest, testing::ValuesIn(cases), case_name);

TEST(ResponseParserTest, reads_what_the_head_says) {
  const Answer answer = parse(
      "HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\nContent-Type: application/json\r\n"
      "Content-Length: 0\r\n\r\nHTTP/1.1 next",
      1000);
  EXPECT_EQ(answer.head.retry_after, std::chrono::seconds(7));
  EXPECT_EQ(answer.head.content_type, "application/json");
  EXPECT_EQ(answer.rest, "HTTP/1.1 next");
  EXPECT_FALSE(parse("HTTP/1.1 503 No\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n\r\n", 9)
                   .head.retry_after);
}

TEST(ResponseParserTest, stops_where_its_reader_has_enough) {
  const Answer answer = parse("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789", 4, 5);
  EXPECT_EQ(answer.state, State::stopped);
}

TEST(ResponseParserTest, a_header_has_a_limit) {
  const Answer answer = parse("HTTP/1.1 200 OK\r\nx: " + std::string(70000, 'x'), 9000);
  EXPECT_EQ(answer.state, State::failed);
  EXPECT_NE(answer.error, "");
}

TEST(ResponseParserTest, warnings_are_their_texts) {
  const Answer answer = parse(
      "HTTP/1.1 201 Created\r\nContent-Length: 0\r\nWarning: 299 - \"one\"\r\n"
      "Warning: 299 - \"with \\\"quotes\\\" and \\\\\"\r\nWarning: 199 - \"another\"\r\n\r\n",
      7);
  ASSERT_EQ(answer.state, State::complete);
  EXPECT_EQ(answer.head.warnings, (std::vector<std::string>{"one", "with \"quotes\" and \\"}));
}

TEST(ResponseParserTest, what_is_no_warning_has_no_text) {
  EXPECT_EQ(warning_text("299 - \"a\" \"Fri, 27 Nov 2026 18:00:00 GMT\""), "a");
  EXPECT_EQ(warning_text("299 kube \"\""), "");
  for (const char* text : {"", "299", "299 ", "299 -", "299 - ", "299 - a", "299 - \"a",
                           "214 - \"a\"", "299 - \"a\\", "299 - \"a\\\""})
    EXPECT_EQ(warning_text(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tpuwh::server::kube::client
