// The error code of module server/kube/access.
#pragma once

namespace tpuwh::server::kube::access {

// The API server cannot be accessed: for example, the mounted service account is missing or, for
// kubectl-tpu, kubectl is not installed.
enum class Errc { api_access };

}  // namespace tpuwh::server::kube::access
