#include "kubectl/inspect/slices/host_list.hpp"

namespace tpuwh::server::slices {

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto comma = text.find(',');
    out.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

HostPort split_port(std::string_view entry) {
  if (entry.starts_with('[')) {
    const auto end = entry.find(']');
    if (end == std::string_view::npos) return {entry, {}};
    const auto rest = entry.substr(end + 1);
    return {entry.substr(1, end - 1), rest.starts_with(':') ? rest.substr(1) : std::string_view()};
  }
  const auto colon = entry.find(':');
  if (colon == std::string_view::npos || entry.find(':', colon + 1) != std::string_view::npos)
    return {entry, {}};  // an IPv6 address has several
  return {entry.substr(0, colon), entry.substr(colon + 1)};
}

std::string dns_name(const SeenPod& pod) {
  return (pod.hostname.empty() ? pod.name : pod.hostname) + "." + pod.subdomain;
}

bool resolves_to(std::string_view host, const SeenPod& pod) {
  if (host.empty()) return false;
  if (host == pod.ip || (pod.host_network && host == pod.node)) return true;
  const std::string name = dns_name(pod);
  return host.starts_with(name) && (host.size() == name.size() || host[name.size()] == '.');
}

}  // namespace tpuwh::server::slices
