// The API server of a kubeconfig, reached through `kubectl proxy`, which logs in.
//
//   source  https://kubernetes.io/docs/reference/kubectl/generated/kubectl_proxy/ (read 2026-11)
#pragma once

#include "base/result.hpp"
#include "server/kube/access/api_config.hpp"

#include <string>

namespace tpuwh::server::access {

// Which API server a command asks; "" for kubectl's default.
struct Choice {
  std::string kubeconfig;  // --kubeconfig
  std::string context;     // --context
};

// Returns how to reach the API server: with the Pod's service account in a Pod if neither a
// kubeconfig nor a context is named, by $KUBECONFIG either; otherwise through a `kubectl proxy`.
//
// The proxy listens on a socket in a folder of its own, mode 0700. Both exist until the last copy
// of the result is destroyed, or a signal ends this program. At most one proxy runs at a time.
//
//   errors  kube::access::Errc::api_access: kubectl is not installed, ended or does not listen.
//           What kubectl prints on standard error is printed
Result<kube::access::ApiConfig> find_api_server(const Choice& choice);

}  // namespace tpuwh::server::access
