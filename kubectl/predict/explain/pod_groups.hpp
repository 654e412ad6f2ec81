// The PodGroup of the scheduler that Pods are in, where the input has it.
#pragma once

#include "kubectl/predict/explain/surroundings.hpp"
#include "server/text/json.hpp"

#include <optional>
#include <string>

namespace tpuwh::server::explain {

struct PodGroupWords {
  bool topology = false;  // it has a topology constraint
  std::string sentence;
};

// Nothing where the Pod is in none, or the input does not have it.
//
//   source  k8s.io/api/scheduling, KEP-5732: spec.schedulingConstraints.topology
std::optional<PodGroupWords> pod_group_words(const Json& pod, const Surroundings& beside);

}  // namespace tpuwh::server::explain
