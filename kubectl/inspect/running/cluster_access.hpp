// Which cluster a command looks at: a running one, or a file.
#pragma once

#include "kubectl/inspect/running/api_server.hpp"
#include "server/kube/access/errc.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tpuwh::server::running {

struct ClusterAccess {
  std::string kubeconfig, context;    // of a running one; "" for what is usual
  std::vector<std::string> snapshot;  // files and folders instead

  bool of_file() const { return !snapshot.empty(); }
  bool names_running() const { return !kubeconfig.empty() || !context.empty(); }
};

// Opens a session by access::find_api_server. Through kubectl, it is logged in.
//
//   errors  kube::access::Errc::api_access
Result<std::unique_ptr<running::ApiServer>> open_session(const ClusterAccess& access);

}  // namespace tpuwh::server::running
