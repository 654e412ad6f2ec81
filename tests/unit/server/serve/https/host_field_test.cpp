#include "server/serve/https/host_field.hpp"

#include <gtest/gtest.h>

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
       {"a:b:c", "a:b",    "::1",       "a/b",   "a b", "u@h",    "a\"b",    "a<b",
        "a%",    "a%2",    "a%zz",      "[::1",  "[]",  "[::1]x", "[::1]:x", "[::1%25eth0]",
        "[v.a]", "[vg.a]", "[1.2.3.4]", "a\x80", "a]",  "a#b"})
    EXPECT_FALSE(is_host_field(value)) << value;
}

}  // namespace
}  // namespace tpuwh::server::https
