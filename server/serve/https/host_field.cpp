#include "server/serve/https/host_field.hpp"

#include "base/characters.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

namespace tpuwh::server::https {
namespace {

constexpr bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// unreserved and sub-delims.
constexpr bool is_plain(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-._~!$&'()*+,;=").find(c) != std::string_view::npos;
}

constexpr auto name_characters = base::characters([](char c) { return is_plain(c) || c == '%'; });
constexpr auto later_characters = base::characters([](char c) { return is_plain(c) || c == ':'; });

// Behind each "%" two digits.
bool is_escaped_well(std::string_view name) {
  for (auto at = name.find('%'); at != std::string_view::npos; at = name.find('%')) {
    if (name.size() - at < 3 || !is_hex(name[at + 1]) || !is_hex(name[at + 2])) return false;
    name.remove_prefix(at + 3);
  }
  return true;
}

// IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
bool is_later_address(std::string_view text) {
  const auto dot = text.find('.');
  if (dot == std::string_view::npos || dot < 2 || (text[0] != 'v' && text[0] != 'V')) return false;
  const std::string_view rest = text.substr(dot + 1);
  return std::ranges::all_of(text.substr(1, dot - 1), is_hex) && !rest.empty() &&
         base::consists_of(later_characters, rest);
}

bool is_address_in_brackets(std::string_view text) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, std::string(text).c_str(), &address) == 1 || is_later_address(text);
}

// What stands behind the host.
bool is_port_part(std::string_view text) {
  return text.empty() || (text.front() == ':' && std::ranges::all_of(text.substr(1), is_digit));
}

}  // namespace

bool is_host_field(std::string_view value) {
  if (value.starts_with('[')) {
    const auto end = value.find(']');
    return end != std::string_view::npos && is_address_in_brackets(value.substr(1, end - 1)) &&
           is_port_part(value.substr(end + 1));
  }
  const std::string_view name = value.substr(0, value.find(':'));
  return base::consists_of(name_characters, name) && is_escaped_well(name) &&
         is_port_part(value.substr(name.size()));
}

}  // namespace tpuwh::server::https
