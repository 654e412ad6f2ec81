#include "kubectl/inspect/running/cluster_access.hpp"

#include "kubectl/access/kubectl_proxy.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace tpuwh::server::running {

// The time limit of the first request. During this request, kubectl may ask the user to log in. A
// login with a browser takes about a minute.
constexpr std::chrono::minutes login_time{2};

Result<std::unique_ptr<running::ApiServer>> open_session(const ClusterAccess& access) {
  auto config =
      server::access::find_api_server({.kubeconfig = access.kubeconfig, .context = access.context});
  if (!config) return config.error();
  auto session = std::make_unique<running::ApiServer>(std::move(*config));
  if (!session->config().connect) return session;
  // `kubectl proxy` logs in at the first request. If the API server is unreachable, `kubectl proxy`
  // answers with status 500 and the reason.
  kube::client::Request request;
  request.method = "GET";
  request.target = "/version";
  const auto version = session->send(std::move(request), login_time);
  if (version.answered() && version.head.status < 500) return session;
  return Error(kube::access::Errc::api_access,
               fmt::format("kubectl cannot reach the API server: {}",
                           version.answered() ? version.status().message : version.error));
}

}  // namespace tpuwh::server::running
