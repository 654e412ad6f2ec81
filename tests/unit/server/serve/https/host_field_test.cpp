#include "server/serve/https/host_field.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tpuwh::server::https {
namespace {

TEST(HostField, is_a_name_or_an_address_and_perhaps_a_port) {
  for (const char* value :
       {"tpu-webhook.ns.svc", "tpu-webhook.ns.svc:443", "10.0.0.1", "10.0.0.1:8443", "[::1]",
        "[fd00::12]:443", "[v1.a:b]", "", ":443", "h:", "a!$&'()*+,;=b", "a%2Fb", "_x~"})
    EXPECT_TRUE(is_host_field(value)) << value;
}

TEST(HostField, is_nothing_else) {
  for (const char* value :
       {"a:b:c", "a:b",    "::1",     "a/b",       "a b",   "u@h",    "a\"b",    "a<b",
        "a%",    "a%2",    "a%zz",    "[::1",      "[]",    "[::1]x", "[::1]:x", "[::1%25eth0]",
        "[v.a]", "[vg.a]", "[vg1.a]", "[1.2.3.4]", "a\x80", "a]",     "a#b"})
    EXPECT_FALSE(is_host_field(value)) << value;
}

// Each character there is, in each place of a name.
TEST(HostField, takes_the_characters_of_the_rfc) {
  const std::string digits = "0123456789";
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const std::string plain = digits + letters + "-._~!$&'()*+,;=";
  const std::string hexadecimal = digits + "ABCDEFabcdef";
  for (int code = 1; code < 256; ++code) {
    const std::string c(1, static_cast<char>(code));
    const auto is_one_of = [&](const std::string& set) { return set.find(c) != std::string::npos; };
    EXPECT_EQ(is_host_field("a" + c + "b"), is_one_of(plain)) << code;
    EXPECT_EQ(is_host_field("a%" + c + "0"), is_one_of(hexadecimal)) << code;
    EXPECT_EQ(is_host_field("a%0" + c), is_one_of(hexadecimal)) << code;
    EXPECT_EQ(is_host_field("a:" + c), is_one_of(digits)) << code;
    EXPECT_EQ(is_host_field("[v" + c + ".a]"), is_one_of(hexadecimal)) << code;
    EXPECT_EQ(is_host_field("[v1.a" + c + "]"), is_one_of(plain + ":")) << code;
    EXPECT_EQ(is_host_field("[" + c + "1.a]"), is_one_of("vV")) << code;
  }
}

}  // namespace
}  // namespace tpuwh::server::https
