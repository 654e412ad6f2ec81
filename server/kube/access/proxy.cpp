#include "server/kube/access/proxy.hpp"

#include <cstdlib>

namespace tpuwh::server::kube::access {

std::string unused_proxy() {
  for (const char* name : {"HTTPS_PROXY", "https_proxy"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return name;
  return {};
}

}  // namespace tpuwh::server::kube::access
