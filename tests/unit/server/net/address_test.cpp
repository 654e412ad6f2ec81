#include "server/net/address.hpp"

#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::net {
namespace {

using test::case_name;
using test::PrintTo;

struct AddressCase {
  const char* name;
  const char* text;
  std::optional<Address> want;
};

class AddressTest : public testing::TestWithParam<AddressCase> {};

TEST_P(AddressTest, reads_or_refuses) {
  EXPECT_EQ(parse_address(GetParam().text), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    table, AddressTest,
    testing::Values(
        AddressCase{.name = "ipv4", .text = "127.0.0.1:8443", .want = Address{"127.0.0.1", 8443}},
        AddressCase{.name = "ipv6", .text = "[::1]:8443", .want = Address{"::1", 8443}},
        AddressCase{.name = "every_address", .text = ":8443", .want = Address{"", 8443}},
        AddressCase{.name = "any_free_port", .text = "0.0.0.0:0", .want = Address{"0.0.0.0", 0}},
        AddressCase{.name = "port_too_large", .text = ":65536", .want = std::nullopt},
        AddressCase{.name = "negative_port", .text = ":-1", .want = std::nullopt},
        AddressCase{.name = "no_port", .text = "127.0.0.1", .want = std::nullopt},
        AddressCase{.name = "empty_port", .text = "127.0.0.1:", .want = std::nullopt},
        AddressCase{.name = "port_and_more", .text = ":80x", .want = std::nullopt},
        AddressCase{.name = "host_name", .text = "localhost:8443", .want = std::nullopt},
        AddressCase{.name = "ipv6_without_brackets", .text = "::1:8443", .want = std::nullopt},
        AddressCase{.name = "ipv4_in_brackets", .text = "[127.0.0.1]:1", .want = std::nullopt},
        AddressCase{.name = "empty_brackets", .text = "[]:1", .want = std::nullopt},
        AddressCase{.name = "empty", .text = "", .want = std::nullopt}),
    case_name);

}  // namespace
}  // namespace tpuwh::server::net
