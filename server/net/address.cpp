#include "server/net/address.hpp"

#include <arpa/inet.h>

#include <charconv>

namespace tpuwh::server::net {
namespace {

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

bool is_ip(int family, const std::string& text) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(family, text.c_str(), bytes) == 1;
}

}  // namespace

bool is_address(const std::string& name) {
  return is_ip(AF_INET, name) || is_ip(AF_INET6, name);
}

std::optional<Address> parse_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return std::nullopt;
  const auto host = text.substr(0, colon);
  if (host.empty()) return Address{.host = {}, .port = *port};
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    Address address{.host = std::string(host.substr(1, host.size() - 2)), .port = *port};
    if (!is_ip(AF_INET6, address.host)) return std::nullopt;
    return address;
  }
  Address address{.host = std::string(host), .port = *port};
  if (!is_ip(AF_INET, address.host)) return std::nullopt;
  return address;
}

}  // namespace tpuwh::server::net
