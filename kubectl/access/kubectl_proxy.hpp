// Connects to the API server of a kubeconfig through `kubectl proxy`, which authenticates the user.
//
//   source  https://kubernetes.io/docs/reference/kubectl/generated/kubectl_proxy/ (read 2026-11)
#pragma once

#include "base/result.hpp"
#include "server/kube/access/api_config.hpp"

#include <string>

namespace tpuwh::server::access {

// Selects the API server that a command calls. An empty field selects kubectl's default.
struct Choice {
  std::string kubeconfig;  // the value of --kubeconfig
  std::string context;     // the value of --context
};

// Returns the configuration with which this program reaches the API server. By default, this
// function starts a `kubectl proxy`. If this program runs in a Pod, and neither `choice` nor
// $KUBECONFIG names a kubeconfig or a context, the Pod's ServiceAccount is used instead.
//
// The proxy listens on a Unix socket in a folder of its own, mode 0700. The proxy and the folder
// exist until the last copy of the result is destroyed, or until a signal ends this program. At
// most one proxy runs at a time.
//
//   errors  kube::access::Errc::api_access: kubectl is not installed, has ended, or does not
//           listen. kubectl writes its errors to the standard error of this program
Result<kube::access::ApiConfig> find_api_server(const Choice& choice);

}  // namespace tpuwh::server::access
