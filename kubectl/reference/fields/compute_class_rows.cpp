// GKE's ComputeClass.
#include "kubectl/reference/fields/rows.hpp"

namespace tpuwh::server::fields {

namespace {

using enum Look;

constexpr Row compute_class_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.nodePoolAutoCreation.enabled", read},
    {"spec.priorities.flexStart.enabled", read},
    {"spec.priorities.machineFamily", read},
    {"spec.priorities.machineType", read},
    {"spec.priorities.nodepools", read},
    {"spec.priorities.reservations", read},
    {"spec.priorities.spot", read},
    {"spec.priorities.tpu", read},
    {"spec.activeMigration", cannot},
    {"spec.allocationStrategyDefaults", cannot},
    {"spec.autoscalingPolicy", cannot},
    {"spec.buffers", cannot},
    {"spec.description", cannot},
    {"spec.nodePoolConfig.autoRepair", cannot},
    {"spec.nodePoolConfig.autoUpgrade", cannot},
    {"spec.nodePoolConfig.gvnic", cannot},
    {"spec.nodePoolConfig.imageStreaming", cannot},
    {"spec.nodePoolConfig.imageType", cannot},
    {"spec.nodePoolConfig.ipType", cannot},
    {"spec.nodePoolConfig.loggingConfig", cannot},
    {"spec.nodePoolConfig.resourceManagerTags", cannot},
    {"spec.nodePoolConfig.serviceAccount", cannot},
    {"spec.priorities.flexStart.nodeRecycling", cannot},
    {"spec.priorities.gpu", cannot},
    {"spec.priorities.maxPodsPerNode", cannot},
    {"spec.priorities.maxRunDurationSeconds", cannot},
    {"spec.priorities.minCores", cannot},
    {"spec.priorities.minMemoryGb", cannot},
    {"spec.priorities.nodeSystemConfig", cannot},
    {"spec.priorities.storage", cannot},
    {"spec.priorityDefaults.nodeSystemConfig", cannot},
    {"spec.whenUnsatisfiable", cannot},
    {"status", cannot},
    {"spec.nodePoolAutoCreation.shieldedInstanceConfig", unseen},
    {"spec.nodePoolConfig.confidentialNodeType", unseen},
    {"spec.nodePoolConfig.dra", unseen},
    {"spec.nodePoolConfig.nodeLabels", unseen},
    {"spec.nodePoolConfig.sandbox", unseen},
    {"spec.nodePoolConfig.taintConfig", unseen},
    {"spec.nodePoolConfig.taints", unseen},
    {"spec.priorities.location", unseen},
    {"spec.priorities.minCpuPlatform", unseen},
    {"spec.priorities.placement", unseen},
    {"spec.priorityDefaults.location", unseen},
};

}  // namespace

std::span<const Type> compute_class_types() {
  static constexpr Type all[] = {
      {"ComputeClass", "", "ComputeClass", compute_class_rows},
  };
  return all;
}

}  // namespace tpuwh::server::fields
