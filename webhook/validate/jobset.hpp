// The replicated jobs of a JobSet: each replica of a multi-host one is a slice.
#pragma once

#include "webhook/validate/checker.hpp"

namespace tpuwh::webhook::validate {

// False where it cannot be read.
//
//   source  jobset.x-k8s.io/v1alpha2 JobSetSpec
bool check_jobset(Checker& checker, base::json::Reader::Mark spec);

}  // namespace tpuwh::webhook::validate
