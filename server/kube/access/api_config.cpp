#include "server/kube/access/api_config.hpp"

#include "server/kube/access/token_file.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace tpuwh::server::kube::access {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

PodAccess PodAccess::from_environment(const std::string& service_account) {
  PodAccess access{environment("KUBERNETES_SERVICE_HOST"), environment("KUBERNETES_SERVICE_PORT")};
  if (!service_account.empty()) access.service_account = service_account;
  return access;
}

Result<ApiConfig> in_cluster_config(const PodAccess& access) {
  if (!access.in_cluster())
    return Error(Errc::api_access,
                 fmt::format("KUBERNETES_SERVICE_HOST is \"{}\" and KUBERNETES_SERVICE_PORT is "
                             "\"{}\"; expected both to be set, as in every Pod",
                             access.host, access.port));
  ApiConfig config{.host = access.host,
                   .port = access.port,
                   .ca_file = access.service_account + "/ca.crt",
                   .token_file = access.service_account + "/token",
                   .ns = "default",
                   .source = "the Pod's service account",
                   .connect = {}};
  const auto ca = read_account_file(config.ca_file);
  const auto token = TokenFile(config.token_file).authorization({});
  if (!ca || !token)
    return Error(Errc::api_access,
                 fmt::format("{}; expected a mounted ServiceAccount token and CA: check "
                             "automountServiceAccountToken of the Pod and of its ServiceAccount",
                             ca ? token.error().message() : ca.error().message()));
  // If the file `namespace` does not exist or is empty, config.ns remains "default".
  const auto ns = read_account_file(access.service_account + "/namespace");
  if (ns && !ns->empty()) config.ns = *ns;
  return config;
}

}  // namespace tpuwh::server::kube::access
