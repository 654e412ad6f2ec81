#include "server/cli/cluster_access.hpp"

#include "server/settings/usage_error.hpp"

#include <CLI/CLI.hpp>

#include <utility>

namespace tpuwh::server::cli {

void add_access_flags(CLI::App& command, AccessFlags& flags) {
  command
      .add_option("--kubeconfig", flags.kubeconfig,
                  "How to reach the cluster; else the Pod's service account, $KUBECONFIG or "
                  "~/.kube/config")
      ->type_name("FILE");
  command.add_option("--context", flags.context, "A context of it, else its current one")
      ->type_name("NAME");
}

void add_snapshot_flag(CLI::App& command, AccessFlags& flags, const std::string& made_with) {
  command
      .add_option(
          "--cluster", flags.snapshot,
          "A cluster in a file instead of a running one: " + made_with + "; - is standard input")
      ->type_name("SNAPSHOT.json");
}

void check_source(const AccessFlags& flags) {
  if (!flags.snapshot.empty() && flags.given())
    throw settings::UsageError(
        "want --cluster for a file, or --kubeconfig and --context, not both");
}

Result<std::unique_ptr<kube::client::Session>> open_session(const AccessFlags& flags) {
  const auto choice =
      kube::access::KubeconfigChoice::from_environment(flags.kubeconfig, flags.context);
  auto config = kube::access::find_api_config(choice, kube::access::PodAccess::from_environment());
  if (!config) return config.error();
  return std::make_unique<kube::client::Session>(std::move(*config));
}

}  // namespace tpuwh::server::cli
