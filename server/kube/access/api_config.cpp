#include "server/kube/access/api_config.hpp"

#include "base/edits.hpp"
#include "server/kube/access/errc.hpp"
#include "server/kube/access/server_url.hpp"
#include "server/kube/access/small_file.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace tpuwh::server::kube::access {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Of the Pod; a service account that is mounted without the file is not a reason to stop.
std::string own_namespace(const PodAccess& access) {
  const auto text = read_file(access.service_account + "/namespace");
  const std::string name(text ? base::trimmed(*text) : "");
  return name.empty() ? "default" : name;
}

Error without_account(const Error& cause) {
  return Error(Errc::api_access,
               cause.message() +
                   "; expected a service account in this Pod: see automountServiceAccountToken of "
                   "the Pod and of the account");
}

}  // namespace

PodAccess PodAccess::from_environment() {
  PodAccess access;
  access.host = environment("KUBERNETES_SERVICE_HOST");
  access.port = environment("KUBERNETES_SERVICE_PORT");
  return access;
}

Result<ApiConfig> in_cluster_config(const PodAccess& access) {
  if (!access.in_cluster())
    return Error(Errc::api_access,
                 fmt::format("KUBERNETES_SERVICE_HOST is \"{}\" and KUBERNETES_SERVICE_PORT is "
                             "\"{}\": not running in a Pod; pass --kubeconfig",
                             access.host, access.port));
  if (!is_host(access.host) || !is_port(access.port))
    return Error(
        Errc::api_access,
        fmt::format("KUBERNETES_SERVICE_HOST \"{}\" and KUBERNETES_SERVICE_PORT \"{}\" are not a "
                    "host and port; expected an IP address and a number up to 65535",
                    access.host, access.port));
  ApiConfig config;
  config.host = config.tls_name = access.host;
  config.port = access.port;
  config.ca_file = access.service_account + "/ca.crt";
  auto ca = read_pem_file(config.ca_file, "CERTIFICATE");
  if (!ca) return without_account(ca.error());
  config.ca_pem = std::move(*ca);
  config.credentials = std::make_shared<TokenFile>(access.service_account + "/token");
  if (auto header = config.credentials->authorization({}); !header)
    return without_account(header.error());
  config.credentials->rejected();  // read at no time of anybody's clock
  config.ns = own_namespace(access);
  config.source = "the Pod's service account";
  return config;
}

KubeconfigChoice KubeconfigChoice::from_environment(std::string file, std::string context) {
  return {.file = std::move(file),
          .variable = environment("KUBECONFIG"),
          .home = environment("HOME"),
          .context = std::move(context)};
}

Result<ApiConfig> find_api_config(const KubeconfigChoice& choice, const PodAccess& access,
                                  ExecReader* exec) {
  const bool asked = choice.given() || !choice.context.empty();
  return !asked && access.in_cluster() ? in_cluster_config(access)
                                       : kubeconfig_config(choice, exec);
}

}  // namespace tpuwh::server::kube::access
