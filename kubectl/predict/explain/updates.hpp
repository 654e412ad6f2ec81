// What an update of an object takes beside what runs, where that is whole nodes or slices.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "server/text/json.hpp"

#include <string>

namespace tpuwh::server::explain {

// "an update makes 1 Pod more before it ends an old one: ..."; "" where it takes nothing more.
//
//   source  kubernetes pkg/controller/deployment/util ResolveFenceposts, apis/apps/v1/defaults.go,
//           v1.36.3; lws v0.9.0 pkg/controllers/leaderworkerset_controller.go; kuberay
//           ray-operator/controllers/ray/rayservice_controller.go, v1.6.2
std::string update_words(const Json& object, const Workload& workload);

}  // namespace tpuwh::server::explain
