// The address of an API server as a kubeconfig's `server` writes it.
#pragma once

#include "base/result.hpp"
#include "server/kube/access/errc.hpp"

#include <string>
#include <string_view>

namespace tpuwh::server::kube::access {

struct ServerUrl {
  bool tls;
  std::string host;  // without brackets
  std::string port;  // 443 or 80 where the URL has none
  std::string path;  // "" or "/prefix"
};

// "https://[fd00::1]:6443/prefix/". User, query, fragment and %-escapes are refused: a
// kubeconfig has other places for what they would say.
//
//   errors  Errc::api_access: the URL, and what would be right
Result<ServerUrl> parse_server_url(std::string_view url);

// A DNS name or an IP literal without brackets (and without a zone).
bool is_host(std::string_view text);
// 1 to 65535, in plain digits.
bool is_port(std::string_view text);

}  // namespace tpuwh::server::kube::access
