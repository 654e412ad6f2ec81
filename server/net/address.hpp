// Where to listen, as a flag says it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::net {

struct Address {
  std::string host;  // an IP address; empty for every address of the machine
  std::uint16_t port = 0;

  bool operator==(const Address&) const = default;
};

// "127.0.0.1:8443", "[::1]:8443", ":8443", ":0". Nothing for anything else: a host
// name, an IPv6 address without brackets, a port above 65535.
std::optional<Address> parse_address(std::string_view text);

// Whether a name is an IP address, of version 4 or 6, without brackets.
bool is_address(const std::string& name);

}  // namespace tpuwh::server::net
