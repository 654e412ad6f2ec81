// --cluster, --kubeconfig and --context: how commands reach a cluster.
#pragma once

#include "kubectl/inspect/running/cluster_access.hpp"

#include <string>

namespace CLI {
class App;
}

namespace tpuwh::server::cli::kubectl_tpu {

void add_access_flags(CLI::App& command, running::ClusterAccess& access);

// --cluster SNAPSHOT.json, of commands that can do with files; `made_with` says what prints them.
void add_snapshot_flag(CLI::App& command, running::ClusterAccess& access,
                       const std::string& made_with);
// Throws UsageError if a file and a running cluster were asked for.
void check_source(const running::ClusterAccess& access);

}  // namespace tpuwh::server::cli::kubectl_tpu
