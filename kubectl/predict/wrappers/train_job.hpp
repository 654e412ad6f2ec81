// The JobSet that Kubeflow Trainer makes of a TrainJob and its runtime.
//   source  kubeflow/trainer pkg/runtime/core/{core,trainingruntime,clustertrainingruntime}.go,
//           pkg/runtime/framework/plugins/{plainml,jax,torch,mpi,coscheduling,volcano}/*.go,
//           pkg/runtime/framework/plugins/jobset/{jobset,builder}.go, v2.2.1
//
// A TrainJob names its runtime, which stands in the same input; where it does not, nothing is known
// of the JobSet. What is not made: volumes, mounts and Secret of MPI, the command of torchtune, the
// variables of XGBoost and Flux, the PodGroup of a gang scheduler.
#pragma once

#include "kubectl/predict/wrappers/wrapper.hpp"

namespace tpuwh::server::wrappers {

//   faults  refused: what Trainer's webhook or its CRD refuses of what is read here
Making make_of_train_job(const Json& object, const expand::Owner& self, const Beside& beside);

}  // namespace tpuwh::server::wrappers
