// Lists of hosts as variables hold them, and whether an entry is a Pod.
#pragma once

#include "kubectl/inspect/slices/cluster.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::slices {

// "a,b,c" in its parts; an empty text has one empty part.
std::vector<std::string_view> split_list(std::string_view text);

// "host" of "host:8471" and of "[::1]:8471"; `port` is "" where there is none.
struct HostPort {
  std::string_view host, port;
};
HostPort split_port(std::string_view entry);

// Whether `host` resolves to the Pod: <hostname>.<subdomain>, as it is or followed by more of
// the domain; or an address of it. On the host network the node's name serves too.
bool resolves_to(std::string_view host, const SeenPod& pod);

// The name that does: "<hostname>.<subdomain>".
std::string dns_name(const SeenPod& pod);

}  // namespace tpuwh::server::slices
