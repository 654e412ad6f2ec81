// `certificate`: the keeper of the server's certificate, and its rights.
#pragma once

#include "kubectl/certificate/configuration.hpp"
#include "server/log/level.hpp"
#include "kubectl/text/console.hpp"

#include <string>

namespace tpuwh::server::certificate {

struct KeepOptions {
  std::string secret = secret_name;
  // Where a Pod's token, CA and namespace are; "" for where Kubernetes mounts them.
  std::string service_account;
  log::LogFormat log_format = log::LogFormat::text;
};

// Keeps the certificate until SIGTERM or SIGINT.
//
//   returns  0
//   throws   std::runtime_error if this is no Pod with a ServiceAccount's token
int run_keep(const KeepOptions& options, const text::Console& console);

// Prints the keeper's ClusterRole and Role, as YAML.
//
//   returns  0
int run_rights(const KeepOptions& options, const text::Console& console);

}  // namespace tpuwh::server::certificate
