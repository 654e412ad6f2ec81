// The address of an API server, the CA that verifies its certificate, and the credentials of
// requests.
//
// This file opens no socket. Sources of the formats and rules: docs/facts.md#service-account;
// client-go 1.36 rest/config.go, read on 2026-11-20.
#pragma once

#include "base/result.hpp"
#include "server/kube/access/errc.hpp"

#include <functional>
#include <string>

namespace tpuwh::server::kube::access {

struct ApiConfig {
  std::string host;        // an IP literal without brackets, or a DNS name
  std::string port;        // "443"; "" beside `connect`
  std::string ca_file;     // PEM file of the CA that signs the API server's certificate
  std::string token_file;  // "" for requests without a token
  std::string ns;          // of the Pod; "default" if it is not known
  std::string source;      // for messages: "the Pod's service account"
  // If set, this function opens each connection, and no TLS connection to `host` is opened. The
  // function returns the descriptor of a connected stream socket, which needs neither TLS nor a
  // token. Only kubectl-tpu sets the function (kubectl/access).
  std::function<Result<int>()> connect;
};

// The environment variables and the directory that tell a container how to reach the API server.
struct PodAccess {
  std::string host;  // KUBERNETES_SERVICE_HOST; an IPv6 literal comes without brackets
  std::string port;  // KUBERNETES_SERVICE_PORT
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";

  // Returns whether the program runs in a Pod: whether KUBERNETES_SERVICE_HOST and
  // KUBERNETES_SERVICE_PORT are set, as in client-go.
  bool in_cluster() const { return !host.empty() && !port.empty(); }

  // Reads both environment variables. If `service_account` is not "", it replaces the default.
  static PodAccess from_environment(const std::string& service_account = {});
};

// Returns the configuration with which a Pod reaches the API server. The files of the token and of
// the CA must exist when this function is called. The contents of the files may change later.
//
//   errors  Errc::api_access: names the variable or file that is missing, and what is expected
Result<ApiConfig> in_cluster_config(const PodAccess& access);

}  // namespace tpuwh::server::kube::access
