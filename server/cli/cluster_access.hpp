// How commands reach a cluster: --kubeconfig and --context, and whom these flags name.
#pragma once

#include "server/kube/client/session.hpp"

#include <memory>
#include <string>

namespace CLI {
class App;
}

namespace tpuwh::server::cli {

struct AccessFlags {
  std::string kubeconfig, context;
  std::string snapshot;  // --cluster: a file instead

  bool given() const { return !kubeconfig.empty() || !context.empty(); }
};

void add_access_flags(CLI::App& command, AccessFlags& flags);

// --cluster SNAPSHOT.json, of commands that can do with a file; `made_with` says how.
void add_snapshot_flag(CLI::App& command, AccessFlags& flags, const std::string& made_with);
// Throws UsageError if a file and a running cluster were asked for.
void check_source(const AccessFlags& flags);

// As kube::access::find_api_config: what was asked for, else the Pod's service account, else
// $KUBECONFIG or ~/.kube/config. Opens no connection.
//
//   errors  Errc::api_access
Result<std::unique_ptr<kube::client::Session>> open_session(const AccessFlags& flags);

}  // namespace tpuwh::server::cli
