#include "kubectl/cli/access_flags.hpp"

#include "server/settings/usage_error.hpp"

#include <CLI/CLI.hpp>

namespace tpuwh::server::cli::kubectl_tpu {

void add_access_flags(CLI::App& command, running::ClusterAccess& access) {
  command
      .add_option("--kubeconfig", access.kubeconfig,
                  "Kubeconfig of the cluster; default: the Pod's service account, $KUBECONFIG or "
                  "~/.kube/config")
      ->type_name("FILE");
  command
      .add_option("--context", access.context,
                  "Context of the kubeconfig; default: its current one")
      ->type_name("NAME");
}

void add_snapshot_flag(CLI::App& command, running::ClusterAccess& access,
                       const std::string& made_with) {
  command
      .add_option("--cluster,-f", access.snapshot,
                  "Read a snapshot instead of a running cluster: the output of " + made_with +
                      ". A file, a folder of them, or - for standard input; may be repeated")
      ->allow_extra_args(false)
      ->type_name("SNAPSHOT.json");
}

void check_source(const running::ClusterAccess& access) {
  if (access.of_file() && access.names_running())
    throw settings::UsageError(
        "expected --cluster for a file, or --kubeconfig and --context, not both");
}

}  // namespace tpuwh::server::cli::kubectl_tpu
