#include "kubectl/plugins/exec_credential.hpp"

#include "tests/support/named_case.hpp"
#include "tests/unit/server/kube/access/folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tpuwh::server::plugins {
namespace {

using kube::access::cert_pem;
using kube::access::ClientCertificate;
using kube::access::key_pem;
using std::chrono::system_clock;
using test::case_name;
using test::PrintTo;

constexpr auto v1 = "client.authentication.k8s.io/v1";

std::string credential(const std::string& status) {
  return fmt::format(R"({{"apiVersion": "{}", "kind": "ExecCredential", "status": {}}})", v1,
                     status);
}

TEST(ExecCredential, tells_the_plugin_what_it_is_asked_for) {
  EXPECT_EQ(exec_info(v1, nullptr),
            R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
            R"("spec":{"interactive":false}})");
  const nlohmann::ordered_json cluster = {{"server", "https://a"}, {"config", {{"x", 1}}}};
  EXPECT_NE(exec_info(v1, cluster).find(R"("cluster":{"server":"https://a","config":{"x":1}})"),
            std::string::npos);
}

TEST(ExecCredential, reads_a_token_and_when_it_expires) {
  const auto read = parse_exec_credential(
      credential(R"({"token": "t", "expirationTimestamp": "1970-01-02T00:00:00Z"})"), v1);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->token, "t");
  EXPECT_TRUE(read->certificate.empty());
  EXPECT_EQ(read->expires, system_clock::time_point(std::chrono::hours(24)));
}

TEST(ExecCredential, reads_a_certificate) {
  const nlohmann::json status = {{"clientCertificateData", cert_pem}, {"clientKeyData", key_pem}};
  const auto read = parse_exec_credential(credential(status.dump()), v1);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->certificate, (ClientCertificate{cert_pem, key_pem}));
  EXPECT_FALSE(read->expires);
}

struct WrongCredential {
  const char* name;
  std::string text;
  const char* want;
};

class ExecCredentialWrong : public testing::TestWithParam<WrongCredential> {};

TEST_P(ExecCredentialWrong, is_refused_with_a_sentence) {
  const auto read = parse_exec_credential(GetParam().text, v1);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message().find(GetParam().want), std::string::npos)
      << read.error().message();
}

const WrongCredential wrong_credentials[] = {
    {"empty", "", "printed 0 bytes that are not JSON"},
    {"text", "Please log in", "printed 13 bytes that are not JSON"},
    {"deep", std::string(100'000, '['), "that are not JSON"},
    {"array", "[]", "kind \"\""},
    {"kind", R"({"kind": "Status"})", "kind \"Status\"; expected ExecCredential"},
    {"version",
     R"({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1beta1"})",
     "but the kubeconfig asks for client.authentication.k8s.io/v1"},
    {"no_status", credential("null"), "without a status"},
    {"no_token", credential("{}"), "without token and clientCertificateData"},
    {"half", credential(R"({"clientKeyData": "x"})"), "with one of clientCertificateData"},
    {"header", credential(R"({"token": "a\r\nb"})"), "with blanks or control characters"},
    {"no_pem", credential(R"({"clientCertificateData": "x", "clientKeyData": "y"})"), "not PEM"},
    {"time", credential(R"({"token": "t", "expirationTimestamp": "tomorrow"})"),
     "expected RFC 3339"},
    {"time_number", credential(R"({"token": "t", "expirationTimestamp": 5})"), "expected RFC 3339"},
};
INSTANTIATE_TEST_SUITE_P(ExecCredential, ExecCredentialWrong, testing::ValuesIn(wrong_credentials),
                         case_name);

}  // namespace
}  // namespace tpuwh::server::plugins
