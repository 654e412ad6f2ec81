// The error of this module.
#pragma once

namespace tpuwh::server::kube::access {

// The mount of the service account, or kubectl for kubectl-tpu, is missing or wrong.
enum class Errc { api_access };

}  // namespace tpuwh::server::kube::access
