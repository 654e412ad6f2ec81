// StatefulSets, Deployments, LeaderWorkerSets and the Services that they need.
#include "kubectl/reference/fields/rows.hpp"

namespace tpuwh::server::fields {

namespace {

using enum Look;

constexpr Row stateful_set_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.template", inside, "PodTemplate"},
    {"spec.ordinals", read},
    {"spec.podManagementPolicy", read},
    {"spec.replicas", read},
    {"spec.selector", read},
    {"spec.serviceName", read},
    {"spec.minReadySeconds", cannot},
    {"spec.persistentVolumeClaimRetentionPolicy", cannot},
    {"spec.revisionHistoryLimit", cannot},
    {"spec.updateStrategy", cannot},
    {"status", cannot},
    {"spec.volumeClaimTemplates", runs},
};

constexpr Row deployment_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.template", inside, "PodTemplate"},
    {"spec.paused", read},
    {"spec.replicas", read},
    {"spec.selector", read},
    {"spec.strategy.rollingUpdate.maxSurge", read},
    {"spec.strategy.type", read},
    {"spec.minReadySeconds", cannot},
    {"spec.progressDeadlineSeconds", cannot},
    {"spec.revisionHistoryLimit", cannot},
    {"spec.strategy.rollingUpdate.maxUnavailable", cannot},
    {"status", cannot},
};

constexpr Row replica_set_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.template", inside, "PodTemplate"},
    {"spec.replicas", read},
    {"spec.minReadySeconds", cannot},
    {"spec.selector", cannot},
    {"status", cannot},
};

constexpr Row leader_worker_set_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.leaderWorkerTemplate.leaderTemplate", inside, "PodTemplate"},
    {"spec.leaderWorkerTemplate.workerTemplate", inside, "PodTemplate"},
    {"spec.leaderWorkerTemplate.size", read},
    {"spec.leaderWorkerTemplate.subGroupPolicy", read},
    {"spec.networkConfig", read},
    {"spec.rolloutStrategy.rollingUpdateConfiguration.maxSurge", read},
    {"spec.replicas", read},
    {"spec.startupPolicy", read},
    {"spec.leaderWorkerTemplate.persistentVolumeClaimRetentionPolicy", cannot},
    {"spec.leaderWorkerTemplate.restartPolicy", cannot},
    {"spec.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable", cannot},
    {"spec.rolloutStrategy.rollingUpdateConfiguration.partition", cannot},
    {"spec.rolloutStrategy.type", cannot},
    {"status", cannot},
    {"spec.leaderWorkerTemplate.volumeClaimTemplates", runs},
};

constexpr Row service_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.clusterIP", read},
    {"spec.publishNotReadyAddresses", read},
    {"spec.selector", read},
    {"spec.allocateLoadBalancerNodePorts", cannot},
    {"spec.clusterIPs", cannot},
    {"spec.externalIPs", cannot},
    {"spec.externalName", cannot},
    {"spec.externalTrafficPolicy", cannot},
    {"spec.healthCheckNodePort", cannot},
    {"spec.internalTrafficPolicy", cannot},
    {"spec.ipFamilies", cannot},
    {"spec.ipFamilyPolicy", cannot},
    {"spec.loadBalancerClass", cannot},
    {"spec.loadBalancerIP", cannot},
    {"spec.loadBalancerSourceRanges", cannot},
    {"spec.ports", cannot},
    {"spec.sessionAffinity", cannot},
    {"spec.sessionAffinityConfig", cannot},
    {"spec.trafficDistribution", cannot},
    {"spec.type", cannot},
    {"status", cannot},
};

}  // namespace

std::span<const Type> apps_types() {
  static constexpr Type all[] = {
      {"StatefulSet", "apps.v1.StatefulSet", "StatefulSet", stateful_set_rows},
      {"Deployment", "apps.v1.Deployment", "Deployment", deployment_rows},
      {"ReplicaSet", "apps.v1.ReplicaSet", "ReplicaSet", replica_set_rows},
      {"LeaderWorkerSet", "lws:leaderworkersets", "LeaderWorkerSet", leader_worker_set_rows},
      {"Service", "core.v1.Service", "Service", service_rows},
  };
  return all;
}

}  // namespace tpuwh::server::fields
