#include "server/serve/https/reply.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::https {
namespace {

std::string bytes(const Reply& reply, bool omit_body = false) {
  std::string out;
  write_reply(out, reply, "Sun, 06 Nov 1994 08:49:37 GMT", omit_body);
  return out;
}

TEST(ReplyTest, is_header_and_body) {
  EXPECT_EQ(bytes({.body = "{}\n"}),
            "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Content-Type: application/json\r\nContent-Length: 3\r\n\r\n{}\n");
}

TEST(ReplyTest, says_what_the_reply_says) {
  EXPECT_EQ(bytes({.status = 503, .body = "", .retry_after = 1, .close = true}),
            "HTTP/1.1 503 Service Unavailable\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Content-Type: application/json\r\n"
            "Content-Length: 0\r\nRetry-After: 1\r\nConnection: close\r\n\r\n");
  EXPECT_NE(bytes({.status = 405, .body = "", .allow = "POST"}).find("\r\nAllow: POST\r\n"),
            std::string::npos);
}

TEST(ReplyTest, to_head_has_the_length_and_no_body) {
  EXPECT_TRUE(bytes({.body = "ok"}, true).ends_with("Content-Length: 2\r\n\r\n"));
}

TEST(ReplyTest, status_object_is_what_the_api_server_reads) {
  EXPECT_EQ(status_object(413, "too \"large\""),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"too \"large\"","reason":"RequestEntityTooLarge","code":413})"
            "\n");
}

}  // namespace
}  // namespace tpuwh::server::https
