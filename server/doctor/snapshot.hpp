// A cluster in a file, as `doctor` looks at it.
#pragma once

#include "server/doctor/view.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace tpuwh::server::doctor {

// What must be in it for every check that a file can answer.
inline constexpr auto snapshot_made_with =
    "kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations,"
    "clusterroles,clusterrolebindings,roles,rolebindings,services,endpointslices,deployments,pods,"
    "configmaps,namespaces,customresourcedefinitions -A -o json";

// `objects`: of any kinds and namespaces. A kind of which there is no object at all is not known
// rather than absent; nor does a file say what only a running API server does: its version, and
// what replicas tell of themselves.
//
//   ns  where tpu-webhook is installed; "" finds it as find_installation() does
View view_of(const std::vector<Json>& objects, const std::string& ns,
             std::chrono::system_clock::time_point now);

}  // namespace tpuwh::server::doctor
