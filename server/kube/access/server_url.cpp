#include "server/kube/access/server_url.hpp"

#include "base/names.hpp"
#include "server/kube/access/errc.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace tpuwh::server::kube::access {

namespace {

bool is_address(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(family, std::string(text).c_str(), bytes.data()) == 1;
}

// What is left of `text` if it begins so, whatever the case.
bool take(std::string_view& text, std::string_view start) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  if (text.size() < start.size() || !std::ranges::equal(text.substr(0, start.size()), start, same))
    return false;
  text.remove_prefix(start.size());
  return true;
}

bool is_path(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("/-._~:@!$&'()*+,;=").find(c) != std::string_view::npos;
  });
}

struct Authority {
  std::string_view host, port;
  bool brackets = false;
};

Authority split(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return {};
    const auto rest = text.substr(end + 1);
    if (!rest.empty() && rest.front() != ':') return {};
    return {text.substr(1, end - 1), rest.empty() ? rest : rest.substr(1), true};
  }
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return {text, {}};
  if (text.find(':', colon + 1) != std::string_view::npos) return {};  // IPv6 without brackets
  return {text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

bool is_host(std::string_view text) {
  if (is_address(AF_INET, text) || is_address(AF_INET6, text)) return true;
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower.ends_with('.')) lower.pop_back();
  return base::is_host_name(lower);
}

bool is_port(std::string_view text) {
  const auto number = base::plain_decimal(text);
  return number && *number > 0 && *number <= 65535;
}

Result<ServerUrl> parse_server_url(std::string_view url) {
  const auto wrong = [&](std::string_view what) {
    return Error(Errc::api_access,
                 fmt::format("\"{}\" {}; expected a URL like https://10.0.0.1:6443",
                             base::printable(url, 200), what));
  };
  ServerUrl out;
  std::string_view rest = url;
  out.tls = take(rest, "https://");
  if (!out.tls && !take(rest, "http://")) return wrong("does not begin with https:// or http://");
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  rest.remove_prefix(authority.size());
  if (authority.find('@') != std::string_view::npos)
    return Error(Errc::api_access,  // with a password, perhaps: not quoted
                 "the URL contains a user, which belongs under users; expected a URL like "
                 "https://10.0.0.1:6443");
  const Authority parts = split(authority);
  if (!is_host(parts.host) || parts.brackets != is_address(AF_INET6, parts.host))
    return wrong("has no host that is a DNS name, an IPv4 address or an IPv6 one in brackets");
  if (!parts.port.empty() && !is_port(parts.port)) return wrong("has a port outside 1 to 65535");
  if (!is_path(rest)) return wrong("has a query, a fragment or an escape, which are not supported");
  out.host = parts.host;
  out.port = !parts.port.empty() ? parts.port : out.tls ? "443" : "80";
  out.path = rest.substr(0, rest.find_last_not_of('/') + 1);
  return out;
}

}  // namespace tpuwh::server::kube::access
