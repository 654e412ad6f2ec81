// Where Beast and a server must differ (docs/facts.md#beast-framing), and that it makes no
// difference how the bytes are cut.
#include "server/serve/https/request_parser.hpp"

#include "server/limits/limits.hpp"
#include "tests/support/named_case.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

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
};

// Gives the parser `step` bytes more each time, as a session does.
Outcome parse(std::string_view bytes, std::size_t step, RequestHead& head) {
  Outcome out;
  RequestParser parser(head, out.body);
  std::size_t begin = 0;
  std::size_t end = std::min(step, bytes.size());
  for (;;) {
    const auto result = parser.read(bytes.substr(begin, end - begin));
    begin += result.used;
    out.state = result.state;
    if (result.state == State::refused) out.status = parser.refusal().status;
    if (result.state == State::refused || result.state == State::complete) break;
    if (result.state == State::need_more) {
      if (end == bytes.size()) break;
      end = std::min(end + step, bytes.size());
    }
  }
  out.rest = bytes.substr(begin);
  if (out.state != State::complete) {
    out.body.clear();
    out.rest.clear();
  }
  return out;
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

TEST_P(RequestParserTest, says_the_same_however_the_bytes_are_cut) {
  const auto& c = GetParam();
  const Outcome want{c.want, c.want_status, c.want_body, c.want_rest};
  for (const std::size_t step : {c.bytes.size(), std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
    RequestHead head;
    const auto got = parse(c.bytes, std::max<std::size_t>(step, 1), head);
    EXPECT_EQ(got.state, want.state) << "step " << step;
    EXPECT_EQ(got.status, want.status) << "step " << step;
    EXPECT_EQ(got.body, want.body) << "step " << step;
    EXPECT_EQ(got.rest, want.rest) << "step " << step;
  }
}

// So many, with Host.
std::string with_fields(std::size_t number) {
  std::string fields;
  for (std::size_t i = 1; i < number; ++i) fields += "X: y\r\n";
  return "GET /livez HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n";
}

std::string post(std::string_view fields, std::string_view rest) {
  return fmt::format("POST /mutate HTTP/1.1\r\nHost: h\r\n{}\r\n{}", fields, rest);
}

ParserCase refused(const char* name, std::string bytes, unsigned status = 400) {
  return {.name = name, .bytes = std::move(bytes), .want = State::refused, .want_status = status};
}

INSTANTIATE_TEST_SUITE_P(
    reads, RequestParserTest,
    testing::Values(
        ParserCase{.name = "length",
                   .bytes = post("Content-Length: 5\r\n", "hello"),
                   .want_body = "hello"},
        ParserCase{.name = "length_and_a_second_request",
                   .bytes = post("Content-Length: 5\r\n", "helloGET / HTTP/1.1\r\n"),
                   .want_body = "hello",
                   .want_rest = "GET / HTTP/1.1\r\n"},
        ParserCase{
            .name = "chunks",
            .bytes = post("Transfer-Encoding: chunked\r\n", "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\nnext"),
            .want_body = "hello",
            .want_rest = "next"},
        ParserCase{.name = "chunk_extension_and_trailer",
                   .bytes = post("Transfer-Encoding: Chunked\r\n",
                                 "5;a=b\r\nhello\r\n0\r\nHost: other\r\nX: y\r\n\r\n"),
                   .want_body = "hello"},
        ParserCase{.name = "no_body", .bytes = "GET /livez HTTP/1.1\r\nHost: h\r\n\r\n"},
        ParserCase{.name = "length_zero", .bytes = post("Content-Length: 0\r\n", "")},
        ParserCase{
            .name = "upgrade_is_ignored",
            .bytes = post("Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n", "{}"),
            .want_body = "{}"},
        ParserCase{.name = "absolute_form",
                   .bytes = "GET https://h:443/livez HTTP/1.1\r\nHost: h:443\r\n\r\n"},
        ParserCase{.name = "http_1_0_without_host", .bytes = "GET /livez HTTP/1.0\r\n\r\n"},
        ParserCase{.name = "ipv6_host", .bytes = "GET /livez HTTP/1.1\r\nHost: [::1]:8443\r\n\r\n"},
        ParserCase{.name = "host_of_any_name_characters",
                   .bytes = "GET /livez HTTP/1.1\r\nHost: a!$&'()*+,;=b%2F:80\r\n\r\n"},
        ParserCase{.name = "as_many_fields_as_there_may_be",
                   .bytes = with_fields(limits::header_fields)},
        ParserCase{.name = "empty_line_first",
                   .bytes = "\r\nGET /livez HTTP/1.1\r\nHost: h\r\n\r\nrest",
                   .want_rest = "rest"},
        ParserCase{.name = "carriage_return_first", .bytes = "\r", .want = State::need_more},
        ParserCase{.name = "largest_length",
                   .bytes = post(fmt::format("Content-Length: {}\r\n", limits::body_bytes), "x"),
                   .want = State::need_more},
        ParserCase{.name = "largest_chunk",
                   .bytes = post("Transfer-Encoding: chunked\r\n", "700000\r\nx"),
                   .want = State::need_more},
        ParserCase{.name = "unfinished_header",
                   .bytes = "POST /mutate HTTP/1.1\r\nHost:",
                   .want = State::need_more},
        ParserCase{.name = "unfinished_body",
                   .bytes = post("Content-Length: 6\r\n", "hello"),
                   .want = State::need_more}),
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
        refused("chunks_too_large", post("Transfer-Encoding: chunked\r\n", "1\r\nx\r\n700000\r\n"),
                413),
        refused("chunk_too_large", post("Transfer-Encoding: chunked\r\n", "700001\r\n"), 413),
        refused("bad_chunk_size", post("Transfer-Encoding: chunked\r\n", "xyz\r\n")),
        refused("negative_chunk_size", post("Transfer-Encoding: chunked\r\n", "-1\r\n")),
        refused("chunk_without_end",
                post("Transfer-Encoding: chunked\r\n", "2\r\nabc\r\n0\r\n\r\n")),
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
        refused("folded_trailer",
                post("Transfer-Encoding: chunked\r\n", "1\r\nx\r\n0\r\nX: a\r\n b\r\n\r\n")),
        refused("folded_trailer_with_tab",
                post("Transfer-Encoding: chunked\r\n", "0;a=b\r\nX:\r\n\ty\r\n\r\n")),
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
        refused(
            "too_many_fields",
            [] {
              std::string fields;
              for (std::size_t i = 0; i <= limits::header_fields; ++i) fields += "X: y\r\n";
              return post(fields, "");
            }(),
            431),
        refused("one_long_field", post("X: " + std::string(limits::header_bytes, 'y') + "\r\n", ""),
                431),
        refused("long_target",
                "GET /" + std::string(limits::header_bytes, 'y') + " HTTP/1.1\r\nHost: h\r\n\r\n",
                431)),
    case_name);

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

// Each field is below Beast's limit, which starts again with every field it takes.
TEST(RequestParserLimitTest, counts_the_header_as_a_whole) {
  std::string fields;
  for (int i = 0; i < 20; ++i) fields += "X: " + std::string(1000, 'y') + "\r\n";
  for (const std::size_t step : {100'000u, 1'000u, 1u}) {
    RequestHead head;
    EXPECT_EQ(parse(post(fields, ""), step, head).status, 431u) << "step " << step;
  }
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

// A body may hold what a folded trailer would.
TEST(RequestParserHeadTest, looks_for_folded_lines_in_trailers_alone) {
  RequestHead head;
  const auto got =
      parse(post("Transfer-Encoding: chunked\r\n", "4\r\na\n b\r\n0\r\nX: y\r\n\r\n"), 1000, head);
  EXPECT_EQ(got.state, State::complete);
  EXPECT_EQ(got.body, "a\n b");
}

TEST(RequestParserHeadTest, names_a_folded_trailer) {
  RequestHead head;
  std::string body;
  RequestParser parser(head, body);
  const std::string bytes = post("Transfer-Encoding: chunked\r\n", "0\r\nX: y\r\n z\r\n\r\n");
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

TEST(RequestParserTest, takes_a_head_of_exactly_the_limit) {
  const std::string begin = "POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nX: ";
  const std::string end = "\r\n\r\n";
  for (const std::size_t beyond : {0u, 1u}) {
    const std::string filling(limits::header_bytes - begin.size() - end.size() + beyond, 'x');
    RequestHead head;
    const Outcome out = parse(begin + filling + end, 1u << 20, head);
    EXPECT_EQ(out.state, beyond == 0 ? State::complete : State::refused) << out.status;
  }
}

}  // namespace
}  // namespace tpuwh::server::https
