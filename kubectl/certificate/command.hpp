// `kubectl tpu certificate keep` runs the keeper, which issues and renews the server's certificate.
// `kubectl tpu certificate rights` prints the RBAC rules of the keeper.
#pragma once

#include "kubectl/certificate/configuration.hpp"
#include "server/log/level.hpp"
#include "kubectl/text/console.hpp"

#include <string>

namespace tpuwh::server::certificate {

struct KeepOptions {
  std::string secret = secret_name;
  // The folder with the token, the CA certificate and the namespace of the Pod's ServiceAccount. ""
  // means the folder where Kubernetes mounts these files.
  std::string service_account;
  log::LogFormat log_format = log::LogFormat::text;
};

// Runs the keeper until SIGTERM or SIGINT.
//
//   returns  0
//   throws   std::runtime_error if this program does not run in a Pod with a ServiceAccount token
int run_keep(const KeepOptions& options, const text::Console& console);

// Prints the keeper's ClusterRole and Role, as YAML.
//
//   returns  0
int run_rights(const KeepOptions& options, const text::Console& console);

}  // namespace tpuwh::server::certificate
