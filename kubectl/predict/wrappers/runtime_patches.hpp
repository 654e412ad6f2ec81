// spec.runtimePatches of a TrainJob: merged into the Job templates of its runtime.
//   source  kubeflow/trainer pkg/runtime/core/trainingruntime.go (mergeRuntimePatches),
//           pkg/apis/trainer/v1alpha1/trainjob_types.go, v2.2.1;
//           k8s.io/apimachinery pkg/util/strategicpatch/patch.go, v0.36.3
#pragma once

#include "base/result.hpp"
#include "server/text/json_text.hpp"

#include <set>
#include <string>

namespace tpuwh::server::wrappers {

// A map into a map as StrategicMergePatch merges the fields that a patch may have: lists by the
// names of their elements, each before those of the runtime behind which it does not stand;
// tolerations and lists of affinity as a whole.
void merge_strategically(Json& value, const Json& patch);

// Patches `template`s of the replicated jobs, and metadata of the JobSet. A field that a patch may
// not have is left out, as the API server leaves it out.
//
//   jobset_template  with its spec.replicatedJobs, an array of objects
//   returns          the replicated jobs that are patched
//   errors           wrong_type; bad_value: a replicated job, or a container, that the runtime has
//                    not, and variables of containers that only other fields may set
Result<std::set<std::string>> merge_runtime_patches(const Json& train_job_spec,
                                                    Json& jobset_template);

}  // namespace tpuwh::server::wrappers
