// Objects that hold or make workload objects. What they make has rows of its own, and is compared
// with these.
#include "kubectl/reference/fields/rows.hpp"

namespace tpuwh::server::fields {

namespace {

using enum Look;

constexpr Row app_wrapper_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.components.template", read},
    {"spec.suspend", read},
    {"status", cannot},
    {"spec.components.annotations", unseen},
    {"spec.components.podSetInfos", unseen},
    {"spec.components.podSets", unseen},
    {"spec.managedBy", unseen},
};

constexpr Row train_job_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.activeDeadlineSeconds", read},
    {"spec.managedBy", read},
    {"spec.runtimePatches.trainingRuntimeSpec", read},
    {"spec.runtimeRef", read},
    {"spec.suspend", read},
    {"spec.trainer.env", read},
    {"spec.trainer.numNodes", read},
    {"spec.trainer.numProcPerNode", read},
    {"spec.trainer.resourcesPerNode", read},
    {"spec.runtimePatches.manager", cannot},
    {"spec.runtimePatches.time", cannot},
    {"status", cannot},
    {"spec.initializer", runs},
    {"spec.trainer.args", runs},
    {"spec.trainer.command", runs},
    {"spec.trainer.image", runs},
};

constexpr Row training_runtime_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.mlPolicy.jax", read},
    {"spec.mlPolicy.mpi.numProcPerNode", read},
    {"spec.mlPolicy.mpi.runLauncherAsNode", read},
    {"spec.mlPolicy.numNodes", read},
    {"spec.mlPolicy.torch", read},
    {"spec.podGroupPolicy", read},
    {"spec.template", read},
    {"spec.mlPolicy.mpi.mpiImplementation", runs},
    {"spec.mlPolicy.mpi.sshAuthMountPath", runs},
    {"spec.mlPolicy.flux", unseen},
    {"spec.mlPolicy.xgboost", unseen},
};

constexpr Row pathways_job_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.controller.deploymentMode", read},
    {"spec.controller.template", read},
    {"spec.customComponents", read},
    {"spec.workers.nodeSelector", read},
    {"spec.workers.numSlices", read},
    {"spec.workers.priorityClassName", read},
    {"spec.workers.topology", read},
    {"spec.workers.type", read},
    {"spec.controller.elasticSlices", cannot},
    {"spec.maxRestarts", cannot},
    {"spec.workers.maxSliceRestarts", cannot},
    {"spec.workers.terminationGracePeriodSeconds", cannot},
    {"status", cannot},
    {"spec.controller.enableMetricsCollection", runs},
    {"spec.controller.mainContainerName", runs},
    {"spec.pathwaysDir", runs},
    {"spec.pathwaysVersion", runs},
};

constexpr Row disaggregated_set_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.roles.name", read},
    {"spec.roles.metadata", read},
    {"spec.roles.spec", read},
    {"status", cannot},
};

}  // namespace

std::span<const Type> wrapper_types() {
  static constexpr Type all[] = {
      {"AppWrapper", "appwrapper:appwrappers", "AppWrapper", app_wrapper_rows},
      {"TrainJob", "trainer:trainjobs", "TrainJob", train_job_rows},
      {"TrainingRuntime", "trainer:trainingruntimes", "TrainingRuntime", training_runtime_rows},
      {"ClusterTrainingRuntime", "trainer:clustertrainingruntimes", "ClusterTrainingRuntime",
       training_runtime_rows},
      {"PathwaysJob", "", "PathwaysJob", pathways_job_rows},
      {"DisaggregatedSet", "disaggregatedset:disaggregatedsets", "DisaggregatedSet",
       disaggregated_set_rows},
  };
  return all;
}

}  // namespace tpuwh::server::fields
