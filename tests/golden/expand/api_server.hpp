// What the recording API server adds to a Pod between its controller and us: everything, and
// nothing else. An expanded Pod with it has to be the recorded one.
#pragma once

#include "tests/support/answer.hpp"

#include <vector>

namespace tpuwh::test {

// Defaults of the v1 API, and the admission plugins ServiceAccount, DefaultTolerationSeconds,
// ExtendedResourceToleration and Priority. `documents` are the manifest, for its PriorityClass.
//   source  kubernetes/kubernetes pkg/apis/core/v1/defaults.go, plugin/pkg/admission, v1.36.3
void add_defaults(Json& pod, const std::vector<Json>& documents);

// Takes out of a recorded Pod what has no counterpart: managedFields, and the random end of the
// name of the service account's volume.
void take_out_noise(Json& pod);

// Takes out what this webhook wrote into a Pod that comes to it again: labels and annotations of
// its own, the variables that its record names, and terms of affinity on its labels.
//   returns  whether there was a record
bool take_out_ours(Json& pod);

}  // namespace tpuwh::test
