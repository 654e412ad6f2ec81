// Where an API server is, how its certificate is verified, and as whom requests are sent.
//
// Nothing here opens a socket. Formats and rules: docs/facts.md#service-account; client-go 1.36
// rest/config.go, read on 2026-11-20.
#pragma once

#include "base/result.hpp"
#include "server/kube/access/errc.hpp"

#include <functional>
#include <string>

namespace tpuwh::server::kube::access {

struct ApiConfig {
  std::string host;        // an IP literal without brackets, or a DNS name
  std::string port;        // "443"; "" beside `connect`
  std::string ca_file;     // of the CA that signs the API server's certificate
  std::string token_file;  // "" for requests without a token
  std::string ns;          // of the Pod; "default" if it is not known
  std::string source;      // for messages: "the Pod's service account"
  // Opens a connection that needs neither TLS nor a token, in place of TLS to `host`; returns the
  // descriptor of a connected stream socket. Only kubectl-tpu sets it (kubectl/access).
  std::function<Result<int>()> connect;
};

// The variables and the folder by which a container finds the API server.
struct PodAccess {
  std::string host;  // KUBERNETES_SERVICE_HOST; an IPv6 literal comes without brackets
  std::string port;  // KUBERNETES_SERVICE_PORT
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";

  // Returns whether the program runs in a Pod, by client-go's rule.
  bool in_cluster() const { return !host.empty() && !port.empty(); }

  static PodAccess from_environment();
};

// Returns how to reach the API server from inside a Pod. Token and CA must exist now; both may
// change later.
//
//   errors  Errc::api_access: the variable or file that is missing, and what would be right
Result<ApiConfig> in_cluster_config(const PodAccess& access);

}  // namespace tpuwh::server::kube::access
