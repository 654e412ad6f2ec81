// Where Beast and a server must differ (docs/facts.md#beast-framing), and that it makes no
// difference how the bytes are cut.
#include "server/serve/https/request_parser.hpp"

#include "server/limits/limits.hpp"
#include "tests/support/named_case.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tpuwh::server::https {
namespace {

using test::case_name;
using test::PrintTo;
using State = RequestParser::State;
using namespace std::string_literals;

// What became of some bytes: the first request's fate, and what was left of them.
struct Outcome {
  State state = State::need_more;
  unsigned status = 0;  // of a refusal
  std::string body;
  std::string rest;

  bool operator==(const Outcome&) const = default;
  friend void PrintTo(const Outcome& is, std::ostream* out) {
    *out << fmt::format("state {} status {} body \"{}\" rest \"{}\"", static_cast<int>(is.state),
                        is.status, is.body, is.rest);
  }
};

// `ends` says how many bytes are there each time that the parser is called, as a session calls it.
Outcome parse(std::string_view bytes, std::span<const std::size_t> ends, RequestHead& head) {
  Outcome out;
  RequestParser parser(head, out.body);
  std::size_t begin = 0, steps = 0;
  for (const std::size_t end : ends) {
    do {
      const auto result = parser.read(bytes.substr(begin, end - begin));
      begin += result.used;
      out.state = result.state;
      // A head and a body at each end, at most: `GET / HTTP/1.1\r\n\rX` once had no end.
      if (begin > end || ++steps > 2 * ends.size()) throw std::runtime_error("does not end");
    } while (out.state == State::head);
    if (out.state != State::need_more) break;
  }
  if (out.state == State::refused) out.status = parser.refusal().status;
  out.rest = bytes.substr(begin);
  if (out.state != State::complete) {
    out.body.clear();
    out.rest.clear();
  }
  return out;
}

// `step` bytes more each time.
std::vector<std::size_t> pieces(std::size_t size, std::size_t step) {
  std::vector<std::size_t> ends;
  for (std::size_t end = 0; end < size;) ends.push_back(end = std::min(end + step, size));
  return ends;
}
Outcome parse(std::string_view bytes, std::size_t step, RequestHead& head) {
  return parse(bytes, pieces(bytes.size(), step), head);
}

std::string to_text(const RequestHead& head) {
  return fmt::format("method {} target \"{}\" type \"{}\" keep {} chunked {}",
                     static_cast<int>(head.method), head.target, head.content_type, head.keep_alive,
                     head.chunked);
}

struct ParserCase {
  const char* name;
  std::string bytes;
  State want = State::complete;
  unsigned want_status = 0;
  std::string want_body = {};
  std::string want_rest = {};
};

class RequestParserTest : public testing::TestWithParam<ParserCase> {};

// As much as the head says, and what is made of it: in two pieces of every size, and byte by byte.
TEST_P(RequestParserTest, says_the_same_however_the_bytes_are_cut) {
  const auto& c = GetParam();
  const Outcome want{c.want, c.want_status, c.want_body, c.want_rest};
  RequestHead whole;
  EXPECT_EQ(parse(c.bytes, c.bytes.size(), whole), want);
  const auto expect_same = [&](std::span<const std::size_t> ends) {
    RequestHead head;
    EXPECT_EQ(parse(c.bytes, ends, head), want) << testing::PrintToString(ends);
    if (c.want == State::complete) {
      EXPECT_EQ(to_text(head), to_text(whole)) << testing::PrintToString(ends);
    }
  };
  for (std::size_t at = 0; at < std::min<std::size_t>(c.bytes.size(), 2000); ++at)
    expect_same(std::array{at, c.bytes.size()});
  for (const std::size_t step : {1, 2, 7}) expect_same(pieces(c.bytes.size(), step));
}

// So many, with Host.
std::string with_fields(std::size_t number, const std::string& value = "y") {
  std::string fields;
  for (std::size_t i = 1; i < number; ++i) fields += "X: " + value + "\r\n";
  return "GET /livez HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n";
}

std::string with_header_of(std::size_t bytes) {
  const std::string begin = "POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nX: ";
  return begin + std::string(bytes - begin.size() - 4, 'x') + "\r\n\r\n";
}

std::string post(std::string_view fields, std::string_view rest) {
  return fmt::format("POST /mutate HTTP/1.1\r\nHost: h\r\n{}\r\n{}", fields, rest);
}

std::string chunked(std::string_view rest) {
  return post("Transfer-Encoding: chunked\r\n", rest);
}

ParserCase taken(const char* name, std::string bytes, std::string body = {},
                 std::string rest = {}) {
  return {.name = name, .bytes = std::move(bytes), .want_body = body, .want_rest = rest};
}

ParserCase unfinished(const char* name, std::string bytes) {
  return {.name = name, .bytes = std::move(bytes), .want = State::need_more};
}

ParserCase refused(const char* name, std::string bytes, unsigned status = 400) {
  return {.name = name, .bytes = std::move(bytes), .want = State::refused, .want_status = status};
}

INSTANTIATE_TEST_SUITE_P(
    reads, RequestParserTest,
    testing::Values(
        taken("length", post("Content-Length: 5\r\n", "hello"), "hello"),
        taken("length_and_a_second_request",
              post("Content-Length: 5\r\n", "helloGET / HTTP/1.1\r\n"), "hello",
              "GET / HTTP/1.1\r\n"),
        taken("chunks", chunked("3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\nnext"), "hello", "next"),
        taken("api_servers",
              "POST /mutate?timeout=10s HTTP/1.1\r\nHost: tpu-webhook.ns.svc:443\r\n"
              "User-Agent: kube-apiserver-admission\r\nAccept: application/json, */*\r\n"
              "Content-Type: application/json\r\nAccept-Encoding: gzip\r\n"
              "Content-Length: 5\r\n\r\nhello",
              "hello"),
        taken("chunk_extension_and_trailer",
              post("Transfer-Encoding: Chunked\r\n",
                   "5;a=b\r\nhello\r\n0\r\nHost: other\r\nX: y\r\n\r\n"),
              "hello"),
        taken("no_body", "GET /livez HTTP/1.1\r\nHost: h\r\n\r\n"),
        taken("length_zero", post("Content-Length: 0\r\n", "")),
        taken("upgrade_is_ignored",
              post("Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n", "{}"), "{}"),
        taken("absolute_form", "GET https://h:443/livez HTTP/1.1\r\nHost: h:443\r\n\r\n"),
        taken("header_as_long_as_it_may_be", with_header_of(limits::header_bytes)),
        taken("blank_behind_a_line_feed_in_a_chunk", chunked("4\r\na\n b\r\n0\r\nX: y\r\n\r\n"),
              "a\n b"),
        taken("http_1_0_without_host", "GET /livez HTTP/1.0\r\n\r\n"),
        taken("ipv6_host", "GET /livez HTTP/1.1\r\nHost: [::1]:8443\r\n\r\n"),
        taken("host_of_any_name_characters",
              "GET /livez HTTP/1.1\r\nHost: a!$&'()*+,;=b%2F:80\r\n\r\n"),
        taken("as_many_fields_as_there_may_be", with_fields(limits::header_fields)),
        taken("empty_line_first", "\r\nGET /livez HTTP/1.1\r\nHost: h\r\n\r\nrest", "", "rest"),
        unfinished("carriage_return_first", "\r"),
        unfinished("largest_length",
                   post(fmt::format("Content-Length: {}\r\n", limits::body_bytes), "x")),
        unfinished("largest_chunk", chunked("700000\r\nx")),
        unfinished("unfinished_header", "POST /mutate HTTP/1.1\r\nHost:"),
        unfinished("unfinished_body", post("Content-Length: 6\r\n", "hello"))),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    refuses, RequestParserTest,
    testing::Values(
        refused("gzip", post("Transfer-Encoding: gzip\r\n", "x"), 501),
        refused("gzip_and_length", post("Transfer-Encoding: gzip\r\nContent-Length: 1\r\n", "x"),
                501),
        refused("length_and_gzip", post("Content-Length: 1\r\nTransfer-Encoding: gzip\r\n", "x")),
        refused("xchunked", post("Transfer-Encoding: xchunked\r\n", "GET / HTTP/1.1\r\n\r\n"), 501),
        refused("chunked_gzip", post("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n"), 501),
        refused("gzip_chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 501),
        refused("identity", post("Transfer-Encoding: identity\r\n", ""), 501),
        refused("chunked_in_quotes", post("Transfer-Encoding: \"chunked\"\r\n", ""), 501),
        refused("chunked_twice",
                post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
        refused("chunked_and_length",
                post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")),
        refused("length_and_chunked",
                post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
        refused("chunked_in_http_1_0",
                "POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        refused("equal_lengths", post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello")),
        refused("length_list", post("Content-Length: 5, 5\r\n", "hello")),
        refused("different_lengths", post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello")),
        refused("length_with_sign", post("Content-Length: +5\r\n", "hello")),
        refused("negative_length", post("Content-Length: -1\r\n", "")),
        refused("hexadecimal_length", post("Content-Length: 0x5\r\n", "hello")),
        refused("empty_length", post("Content-Length: \r\n", "")),
        refused("huge_length", post("Content-Length: 99999999999999999999999\r\n", "")),
        refused("body_too_large",
                post(fmt::format("Content-Length: {}\r\n", limits::body_bytes + 1), ""), 413),
        refused("chunks_too_large", chunked("1\r\nx\r\n700000\r\n"), 413),
        refused("chunk_too_large", chunked("700001\r\n"), 413),
        refused("bad_chunk_size", chunked("xyz\r\n")),
        refused("negative_chunk_size", chunked("-1\r\n")),
        refused("chunk_without_end", chunked("2\r\nabc\r\n0\r\n\r\n")),
        refused("no_host", "GET /livez HTTP/1.1\r\n\r\n"),
        refused("two_hosts", "GET /livez HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        refused("host_list", "GET /livez HTTP/1.1\r\nHost: a, b\r\n\r\n"),
        refused("host_with_two_ports", "GET /livez HTTP/1.1\r\nHost: a:b:c\r\n\r\n"),
        refused("two_empty_lines_first", "\r\n\r\nGET /livez HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("carriage_return_alone_first", "\rGET /livez HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("target_beyond_ascii", "GET /\x80 HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("target_in_braces", "GET /livez?a={b} HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("target_with_quote", "GET /livez?\"a HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("target_with_fragment", "GET /livez#a HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("two_content_types",
                post("Content-Type: text/plain\r\nContent-Type: application/json\r\n", "")),
        refused("folded_trailer", chunked("1\r\nx\r\n0\r\nX: a\r\n b\r\n\r\n")),
        refused("folded_trailer_with_tab", chunked("0;a=b\r\nX:\r\n\ty\r\n\r\n")),
        refused("http_1_2", "GET /livez HTTP/1.2\r\nHost: h\r\n\r\n", 505),
        refused("http_3_0", "GET /livez HTTP/3.0\r\nHost: h\r\n\r\n", 505),
        refused("http_2_1", "GET /livez HTTP/2.1\r\nHost: h\r\n\r\n", 505),
        refused("version_without_a_number", "GET /livez HTTP/x.1\r\nHost: h\r\n\r\n"),
        refused("version_without_a_dot", "GET /livez HTTP/2x1\r\nHost: h\r\n\r\n"),
        refused("version_without_an_end", "GET /livez HTTP/2.x\r\nHost: h\r\n\r\n"),
        refused("no_version_of_http", "GET /livez HTTQ/1.1\r\nHost: h\r\n\r\n"),
        refused("host_with_path", "GET /livez HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        refused("folded_field", "GET /livez HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n"),
        refused("folded_with_tab", "GET /livez HTTP/1.1\r\nHost: h\r\nX: a\r\n\tb\r\n\r\n"),
        refused("folded_length",
                "POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n 5\r\n\r\nhello"),
        refused("space_before_colon", "GET /livez HTTP/1.1\r\nHost : h\r\n\r\n"),
        refused("bare_carriage_return", "GET /livez HTTP/1.1\r\nHost: h\rX: y\r\n\r\n"),
        refused("nul", std::string("GET /livez HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n"s)),
        refused("http_2_preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        refused("http_0_9", "GET /livez\r\n\r\n"),
        refused("two_spaces", "GET  /livez HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("tls_on_a_plain_port", "\x16\x03\x01\x02\r\n\r\n"),
        refused("one_field_too_many", with_fields(limits::header_fields + 1), 431),
        // Each field is below Beast's limit, which starts again with every field it takes.
        refused("long_header_of_short_fields", with_fields(20, std::string(1000, 'y')), 431),
        refused("header_too_long_by_a_byte", with_header_of(limits::header_bytes + 1), 431),
        refused("one_long_field", post("X: " + std::string(limits::header_bytes, 'y') + "\r\n", ""),
                431),
        refused("long_target",
                "GET /" + std::string(limits::header_bytes, 'y') + " HTTP/1.1\r\nHost: h\r\n\r\n",
                431)),
    case_name);

// In pieces they are waited behind until the next line has come.
TEST(RequestParserLineTest, of_a_carriage_return_alone_is_refused_however_it_is_cut) {
  for (const char* text : {"GET / HTTP/1.1\r\n\rX", "GET / HTTP/1.1\r\n\r\r", "\r\rX", "\rX",
                           "GET / HTTP/1.1\r\nHost: h\r\n\rX"}) {
    const std::string all = text + std::string("GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
    for (std::size_t at = 0; at <= all.size(); ++at) {
      RequestHead head;
      EXPECT_EQ(parse(all, std::array{at, all.size()}, head).state, State::refused) << at;
    }
  }
}

// In pieces it is no header's end, and the header's time runs out.
TEST(RequestParserLineTest, a_bare_line_feed_ends_no_line) {
  const std::string bytes = "GET /livez HTTP/1.1\nHost: h\n\n";
  RequestHead head;
  EXPECT_EQ(parse(bytes, bytes.size(), head).status, 400u);
  EXPECT_EQ(parse(bytes, 1, head).state, State::need_more);
}

TEST(RequestParserLineTest, an_empty_line_is_used_up_when_it_has_come) {
  RequestHead head;
  std::string body;
  RequestParser parser(head, body);
  EXPECT_EQ(parser.read("\r").used, 0u);
  EXPECT_EQ(parser.read("\r\n").used, 2u);
}

TEST(RequestParserLineTest, a_bare_carriage_return_is_named) {
  RequestHead head;
  std::string body;
  RequestParser parser(head, body);
  EXPECT_EQ(parser.read("\rG").state, State::refused);
  EXPECT_EQ(parser.refusal().message,
            "not an HTTP/1.1 request: a line that ends in a carriage return alone");
}

TEST(RequestParserHeadTest, takes_what_the_router_needs) {
  RequestHead head;
  parse(
      "POST /mutate?timeout=10s HTTP/1.1\r\nHost: h\r\nContent-Type: application/json; a=b\r\n"
      "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n{}",
      1000, head);
  EXPECT_EQ(head.method, Method::post);
  EXPECT_EQ(head.target, "/mutate?timeout=10s");
  EXPECT_EQ(head.content_type, "application/json; a=b");
  EXPECT_EQ(head.content_length, 2u);
  EXPECT_TRUE(head.expects_continue);
  EXPECT_TRUE(head.keep_alive);
  EXPECT_TRUE(head.http_1_1);
}

TEST(RequestParserHeadTest, names_a_folded_trailer) {
  RequestHead head;
  std::string body;
  RequestParser parser(head, body);
  const std::string bytes = chunked("0\r\nX: y\r\n z\r\n\r\n");
  const auto step = parser.read(bytes);
  ASSERT_EQ(step.state, State::head);
  EXPECT_EQ(parser.read(std::string_view(bytes).substr(step.used)).state, State::refused);
  EXPECT_EQ(parser.refusal().message, "trailer field continued on a new line");
}

TEST(RequestParserHeadTest, tells_what_http_does_not_know) {
  RequestHead head;
  parse("BREW /livez HTTP/1.1\r\nHost: h\r\n\r\n", 1000, head);
  EXPECT_EQ(head.method, Method::unknown);
  parse("PUT /livez HTTP/1.1\r\nHost: h\r\n\r\n", 1000, head);
  EXPECT_EQ(head.method, Method::other);
}

TEST(RequestParserHeadTest, knows_when_the_peer_wants_to_close) {
  RequestHead head;
  parse("GET /livez HTTP/1.1\r\nHost: h\r\nConnection: foo, Close\r\n\r\n", 1000, head);
  EXPECT_FALSE(head.keep_alive);
  parse("GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 1000, head);
  EXPECT_FALSE(head.http_1_1);
}

// A trailer must not change what the header said.
TEST(RequestParserHeadTest, ignores_trailers) {
  RequestHead head;
  const auto got =
      parse(post("Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n",
                 "1\r\nx\r\n0\r\nContent-Type: text/plain\r\nExpect: 100-continue\r\n\r\n"),
            1000, head);
  EXPECT_EQ(got.state, State::complete);
  EXPECT_EQ(head.content_type, "application/json");
  EXPECT_FALSE(head.expects_continue);
}

}  // namespace
}  // namespace tpuwh::server::https
