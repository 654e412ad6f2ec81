// The value of a Host field (RFC 9112 3.2, RFC 3986 3.2.2).
#pragma once

#include <string_view>

namespace tpuwh::server::https {

// uri-host [":" port], either of which may be empty: a name of RFC 3986's characters, an IPv4
// address, or an IPv6 address (or one of a later version) in brackets. What a list, a path or a
// user would need is not among them.
bool is_host_field(std::string_view value);

}  // namespace tpuwh::server::https
