// What a Pod asks for as a whole: of its containers, of those that run before them, of the Pod.
//
//   source  k8s.io/component-helpers resource/helpers.go PodRequests, PodLimits, v1.37.2
#pragma once

#include "server/text/json.hpp"

#include <functional>
#include <map>
#include <string>

namespace tpuwh::server::objects {

// By resource: "google.com/tpu", "cpu".
using Amounts = std::map<std::string, double>;

// Which containers count; all, where nothing is given.
using Counts = std::function<bool(const Json& container)>;

// Containers and sidecars together, an init container alone where that is more, what is said of the
// whole Pod in place of the sum, and its overhead. What is not requested is requested as limited.
Amounts requests_of_pod(const Json& pod, const Counts& counts = {});

// The same of limits; overhead only of what is limited.
Amounts limits_of_pod(const Json& pod);

}  // namespace tpuwh::server::objects
