// The container that submits a RayJob: in a Pod of its own, or beside the head.
//   source  ray-project/kuberay ray-operator/controllers/ray/common/job.go,
//           ray-operator/controllers/ray/rayjob_controller.go, v1.6.2
#pragma once

#include "kubectl/predict/expand/reading.hpp"

#include <string>

namespace tpuwh::server::expand {

// What a RayJob is submitted to, and as what.
struct Submission {
  std::string dashboard;  // host:port; "" of a container beside the head
  std::uint64_t port;     // of the dashboard
  std::string id;
  const Json& job;  // the spec of the RayJob
};

// The container that KubeRay makes where the user has none; "" for an image that is not known.
Json default_submitter(const std::string& image);

// Command, unless the user has one, and variables. A container beside the head has the command of
// KubeRay in any case.
//
//   errors  bad_value: runtimeEnvYAML is no YAML
Result<void> set_submission(Json& container, const Submission& submission);

}  // namespace tpuwh::server::expand
