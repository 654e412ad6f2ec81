// KubeRay's objects.
#include "kubectl/reference/fields/rows.hpp"

namespace tpuwh::server::fields {

namespace {

using enum Look;

constexpr Row ray_cluster_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec", inside, "RayClusterSpec"},
    {"status", cannot},
};

constexpr Row ray_cluster_spec_rows[] = {
    {"headGroupSpec.template", inside, "PodTemplate"},
    {"workerGroupSpecs.template", inside, "PodTemplate"},
    {"enableInTreeAutoscaling", read},
    {"headGroupSpec.headService", read},
    {"headGroupSpec.rayStartParams", read},
    {"managedBy", read},
    {"suspend", read},
    {"workerGroupSpecs.groupName", read},
    {"workerGroupSpecs.maxReplicas", read},
    {"workerGroupSpecs.minReplicas", read},
    {"workerGroupSpecs.numOfHosts", read},
    {"workerGroupSpecs.rayStartParams", read},
    {"workerGroupSpecs.replicas", read},
    {"workerGroupSpecs.suspend", read},
    {"authOptions", cannot},
    {"autoscalerOptions.idleTimeoutSeconds", cannot},
    {"autoscalerOptions.upscalingMode", cannot},
    {"headGroupSpec.enableIngress", cannot},
    {"headGroupSpec.labels", cannot},
    {"headGroupSpec.resources", cannot},
    {"headGroupSpec.serviceType", cannot},
    {"headServiceAnnotations", cannot},
    {"rayVersion", cannot},
    {"workerGroupSpecs.idleTimeoutSeconds", cannot},
    {"workerGroupSpecs.labels", cannot},
    {"workerGroupSpecs.resources", cannot},
    {"autoscalerOptions.env", runs},
    {"autoscalerOptions.envFrom", runs},
    {"autoscalerOptions.image", runs},
    {"autoscalerOptions.imagePullPolicy", runs},
    {"autoscalerOptions.resources", runs},
    {"autoscalerOptions.securityContext", runs},
    {"autoscalerOptions.volumeMounts", runs},
    {"autoscalerOptions.version", unseen},
    {"gcsFaultToleranceOptions", unseen},
    {"upgradeStrategy", unseen},
    {"workerGroupSpecs.scaleStrategy", unseen},
};

constexpr Row ray_job_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.rayClusterSpec", inside, "RayClusterSpec"},
    {"spec.submitterPodTemplate", inside, "PodTemplate"},
    {"spec.activeDeadlineSeconds", read},
    {"spec.clusterSelector", read},
    {"spec.managedBy", read},
    {"spec.preRunningDeadlineSeconds", read},
    {"spec.submissionMode", read},
    {"spec.suspend", read},
    {"spec.backoffLimit", cannot},
    {"spec.deletionStrategy", cannot},
    {"spec.jobId", cannot},
    {"spec.metadata", cannot},
    {"spec.shutdownAfterJobFinishes", cannot},
    {"spec.submitterConfig", cannot},
    {"spec.ttlSecondsAfterFinished", cannot},
    {"status", cannot},
    {"spec.entrypoint", runs},
    {"spec.runtimeEnvYAML", runs},
    {"spec.entrypointNumCpus", unseen},
    {"spec.entrypointNumGpus", unseen},
    {"spec.entrypointResources", unseen},
};

constexpr Row ray_service_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.rayClusterConfig", inside, "RayClusterSpec"},
    {"spec.managedBy", read},
    {"spec.upgradeStrategy.type", read},
    {"spec.deploymentUnhealthySecondThreshold", cannot},
    {"spec.excludeHeadPodFromServeSvc", cannot},
    {"spec.rayClusterDeletionDelaySeconds", cannot},
    {"spec.serveService", cannot},
    {"spec.serviceUnhealthySecondThreshold", cannot},
    {"status", cannot},
    {"spec.serveConfigV2", runs},
    {"spec.upgradeStrategy.clusterUpgradeOptions", unseen},
};

}  // namespace

std::span<const Type> ray_types() {
  static constexpr Type all[] = {
      {"RayCluster", "kuberay:rayclusters", "RayCluster", ray_cluster_rows},
      {"RayClusterSpec", "kuberay:rayclusters#spec", "RayCluster spec", ray_cluster_spec_rows},
      {"RayJob", "kuberay:rayjobs", "RayJob", ray_job_rows},
      {"RayService", "kuberay:rayservices", "RayService", ray_service_rows},
  };
  return all;
}

}  // namespace tpuwh::server::fields
