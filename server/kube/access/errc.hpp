// What can be wrong with how an API server is reached.
#pragma once

namespace tpuwh::server::kube::access {

// Whoever wrote the kubeconfig, mounted the service account or set up the plugin can cause it.
enum class Errc { api_access };

}  // namespace tpuwh::server::kube::access
