#include "server/kube/access/server_url.hpp"

#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::kube::access {
namespace {

using test::case_name;
using test::PrintTo;

struct Right {
  const char* name;
  const char* url;
  bool tls;
  const char* host;
  const char* port;
  const char* path = "";
};

class ServerUrlRight : public testing::TestWithParam<Right> {};

TEST_P(ServerUrlRight, is_read_into_its_parts) {
  const auto url = parse_server_url(GetParam().url);
  ASSERT_TRUE(url) << url.error().message();
  EXPECT_EQ(url->tls, GetParam().tls);
  EXPECT_EQ(url->host, GetParam().host);
  EXPECT_EQ(url->port, GetParam().port);
  EXPECT_EQ(url->path, GetParam().path);
}

constexpr Right right[] = {
    {"dns_name", "https://kubernetes.default.svc", true, "kubernetes.default.svc", "443"},
    {"address", "https://10.0.0.1:6443", true, "10.0.0.1", "6443"},
    {"ipv6", "https://[fd00::1]:6443", true, "fd00::1", "6443"},
    {"ipv6_without_port", "https://[::1]", true, "::1", "443"},
    {"path", "https://rancher.example/k8s/clusters/c-1/", true, "rancher.example", "443",
     "/k8s/clusters/c-1"},
    {"slash", "https://example/", true, "example", "443"},
    {"http", "http://127.0.0.1:8001", false, "127.0.0.1", "8001"},
    {"http_without_port", "http://localhost", false, "localhost", "80"},
    {"upper_case", "HTTPS://EXAMPLE.com:443", true, "EXAMPLE.com", "443"},
    {"empty_port", "https://example:", true, "example", "443"},
};
INSTANTIATE_TEST_SUITE_P(ServerUrl, ServerUrlRight, testing::ValuesIn(right), case_name);

struct WrongUrl {
  const char* name;
  const char* url;
  const char* want;
};

class ServerUrlWrong : public testing::TestWithParam<WrongUrl> {};

TEST_P(ServerUrlWrong, says_what_is_wrong_with_it) {
  const auto url = parse_server_url(GetParam().url);
  ASSERT_FALSE(url);
  EXPECT_NE(url.error().message().find(GetParam().want), std::string::npos)
      << url.error().message();
  EXPECT_EQ(url.error().message().find("secret"), std::string::npos);
}

constexpr WrongUrl wrong_urls[] = {
    {"empty", "", "does not begin with https://"},
    {"no_scheme", "10.0.0.1:6443", "does not begin with https://"},
    {"no_host", "https://:6443", "has no host"},
    {"bare_ipv6", "https://fd00::1", "has no host"},
    {"open_bracket", "https://[fd00::1", "has no host"},
    {"ipv4_in_brackets", "https://[10.0.0.1]", "has no host"},
    {"zone", "https://[fe80::1%25eth0]", "has no host"},
    {"port_0", "https://example:0", "has a port"},
    {"port_too_large", "https://example:65536", "has a port"},
    {"port_no_number", "https://example:https", "has a port"},
    {"user", "https://me:secret@example", "contains a user"},
    {"query", "https://example/?x=y", "has a query"},
    {"line_end", "https://example/a\r\nb", "has a query"},
};
INSTANTIATE_TEST_SUITE_P(ServerUrl, ServerUrlWrong, testing::ValuesIn(wrong_urls), case_name);

}  // namespace
}  // namespace tpuwh::server::kube::access
