// Variables of the slice that a container takes from a ConfigMap or a Secret by envFrom: what
// stands in env goes before them, and what is injected stands in env.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/predict/explain/gather.hpp"
#include "kubectl/predict/explain/surroundings.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::explain {

struct EnvFrom {
  std::vector<Finding> findings;   // of ConfigMaps in the input
  std::vector<std::string> notes;  // of what is not in it
};

// Of the containers into which something is injected.
//
//   source  k8s.io/api/core/v1 types.go, v1.36.3: Container.EnvFrom
EnvFrom variables_from(const AnsweredPod& pod, const Surroundings& beside);

}  // namespace tpuwh::server::explain
