// What an object is told and what its Pods are told is often one thing, found twice.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"

#include <vector>

namespace tpuwh::server::explain {

// Leaves out what was found again in the Pods: a denial where the object is denied for it, and of
// two warnings the object's, since the Pods' says how many they are.
void say_once(std::vector<Finding>& findings);

}  // namespace tpuwh::server::explain
