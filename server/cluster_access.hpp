// How commands reach a cluster: --kubeconfig and --context, and whom these flags name.
#pragma once

#include "server/kube/session.hpp"

#include <memory>
#include <string>

namespace CLI {
class App;
}

namespace tpuwh::server {

struct AccessFlags {
  std::string kubeconfig, context;

  bool given() const { return !kubeconfig.empty() || !context.empty(); }
};

void add_access_flags(CLI::App& command, AccessFlags& flags);

// As kube::find_api_config: what was asked for, else the Pod's service account, else
// $KUBECONFIG or ~/.kube/config. Opens no connection.
//
//   errors  Errc::api_access
Result<std::unique_ptr<kube::Session>> open_session(const AccessFlags& flags);

}  // namespace tpuwh::server
