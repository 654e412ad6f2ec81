#include "server/net/address.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::net {
namespace {

TEST(ParseAddress, reads_a_host_and_a_port) {
  EXPECT_EQ(parse_address("127.0.0.1:8443"), (Address{"127.0.0.1", 8443}));
  EXPECT_EQ(parse_address("[::1]:8443"), (Address{"::1", 8443}));
  EXPECT_EQ(parse_address(":8443"), (Address{"", 8443})) << "no host means every address";
  EXPECT_EQ(parse_address("0.0.0.0:0"), (Address{"0.0.0.0", 0})) << "port 0 means any free port";
}

TEST(ParseAddress, refuses_anything_else) {
  for (const char* text : {":65536", ":-1", "127.0.0.1", "127.0.0.1:", ":80x", "localhost:8443",
                           "::1:8443", "[127.0.0.1]:1", "[]:1", ""})
    EXPECT_EQ(parse_address(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tpuwh::server::net
