// Pods that a controller of one's own makes, as an object that makes the same Pods.
#pragma once

#include "kubectl/predict/wrappers/wrapper.hpp"

namespace tpuwh::server::wrappers {

// One object for each template that is found.
//
//   a ReplicaSet   whose Pods have nothing that says which of them they are
//   an Indexed Job  with as many completions; restartPolicy Never where the template has none
Making make_pods(const Json& object, const expand::Owner& self, const Pods& pods);

}  // namespace tpuwh::server::wrappers
