// The command that starts Ray in a container of KubeRay.
//   source  ray-project/kuberay ray-operator/controllers/ray/common/pod.go, v1.6.2
#pragma once

#include "kubectl/predict/expand/reading.hpp"

#include <map>
#include <optional>
#include <string>

namespace tpuwh::server::expand {

// rayStartParams, by name: the order of the command's flags.
using StartParams = std::map<std::string, std::string>;

enum class RayNode { head, worker };

// What KubeRay adds to the parameters of a group before it looks at the container.
//
//   group    of the user: rayStartParams, resources, labels
//   address  of the head with its port; of a worker
StartParams start_params(const Json& group, RayNode node, const std::string& address);

// The TPUs that a group tells Ray of by itself (rayStartParams.resources, resources), whatever its
// containers ask for; nothing where it tells of none.
std::optional<double> stated_tpus(const Json& group);

// "ray start --head  --block …" with what the limits of the container add to `params`.
std::string start_command(StartParams params, RayNode node, const Json& container);

}  // namespace tpuwh::server::expand
