#include "kubectl/inspect/running/cluster_access.hpp"

#include "kubectl/plugins/exec_user.hpp"

#include <utility>

namespace tpuwh::server::running {

Result<std::unique_ptr<running::ApiServer>> open_session(const ClusterAccess& access) {
  using kube::access::KubeconfigChoice;
  const auto choice = KubeconfigChoice::from_environment(access.kubeconfig, access.context);
  auto config = kube::access::find_api_config(choice, kube::access::PodAccess::from_environment(),
                                              plugins::exec_credentials);
  if (!config) return config.error();
  return std::make_unique<running::ApiServer>(std::move(*config));
}

}  // namespace tpuwh::server::running
