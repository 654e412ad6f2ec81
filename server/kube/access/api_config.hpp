// Where an API server is, how to trust it, and how it knows us.
//
// Found in a Pod's environment and service account, or in a kubeconfig. Nothing here opens a
// socket. Formats and rules: docs/facts.md#service-account; client-go
// 1.36 rest/config.go and tools/clientcmd, read on 2026-11-20.
//
//   errors  Errc::api_access: a sentence with the file (and its line), what was found
//   there
//           and what would be right
#pragma once

#include "base/result.hpp"
#include "server/kube/access/credentials.hpp"
#include "server/kube/access/errc.hpp"

#include <memory>
#include <string>

namespace tpuwh::server::kube::access {

struct ApiConfig {
  std::string host;       // DNS name or IP literal, without brackets
  std::string port;       // "443", "6443"
  std::string base_path;  // "" or "/prefix", without a slash at its end
  bool tls = true;        // http:// in a kubeconfig: false
  std::string tls_name;   // what the certificate is checked against: host, or tls-server-name
  bool insecure = false;  // insecure-skip-tls-verify: the certificate is not checked at all
  std::string ca_pem;     // "": the system's
  // Not empty: what stands beside it was read from there, and may be read again with
  // read_pem_file (small_file.hpp) when it changes.
  std::string ca_file;
  ClientCertificate client;  // of the kubeconfig; one of credentials->certificate() comes first
  std::string client_cert_file, client_key_file;
  std::string ns;      // of the context or of the Pod; "default" if none
  std::string source;  // for messages: "the Pod's service account", "context \"x\" of /path"
  std::shared_ptr<Credentials> credentials;  // never null
};

// What Kubernetes gives a container so that it finds the API server.
struct PodAccess {
  std::string host;  // KUBERNETES_SERVICE_HOST; an IPv6 literal comes without brackets
  std::string port;  // KUBERNETES_SERVICE_PORT
  std::string service_account = "/var/run/secrets/kubernetes.io/serviceaccount";

  // Whether this is a Pod at all: client-go's rule.
  bool in_cluster() const { return !host.empty() && !port.empty(); }

  static PodAccess from_environment();
};

// The way in from inside a Pod. Token and CA must be there now; both may change later.
Result<ApiConfig> in_cluster_config(const PodAccess& access);

// Which kubeconfig, and which context of it.
struct KubeconfigChoice {
  std::string file{};      // --kubeconfig; "" for none, then the following
  std::string variable{};  // $KUBECONFIG: files with ':' between; the first to name a thing wins
  std::string home{};      // $HOME, for .kube/config
  std::string context{};   // --context; "" for the file's current-context

  // Whether somebody asked for a kubeconfig by name: $KUBECONFIG does.
  bool given() const { return !file.empty() || !variable.empty(); }

  static KubeconfigChoice from_environment(std::string file, std::string context);
};

class KubeconfigFields;

// Makes credentials of the `exec` of a kubeconfig's user: a program that prints them. The user's
// `cluster` was read into `config`.
using ExecReader = Result<std::shared_ptr<Credentials>>(KubeconfigFields exec,
                                                        const KubeconfigFields& cluster,
                                                        const ApiConfig& config);

// The way in that a kubeconfig describes (kubeconfig_file.hpp). Without an ExecReader, a user whose
// credentials come from a program is refused.
Result<ApiConfig> kubeconfig_config(const KubeconfigChoice& choice, ExecReader* exec = nullptr);

// What a command takes that may run in a Pod or on somebody's desk: a kubeconfig or context
// that was asked for; else the Pod's; else ~/.kube/config.
Result<ApiConfig> find_api_config(const KubeconfigChoice& choice, const PodAccess& access,
                                  ExecReader* exec = nullptr);

}  // namespace tpuwh::server::kube::access
