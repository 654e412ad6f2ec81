// Kueue's objects, claims, priorities and NetworkPolicies.
#include "kubectl/reference/fields/rows.hpp"

namespace tpuwh::server::fields {

namespace {

using enum Look;

constexpr Row local_queue_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.clusterQueue", read},
    {"spec.stopPolicy", read},
    {"status", read},
    {"spec.fairSharing", unseen},
};

constexpr Row cluster_queue_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.admissionChecks", read},
    {"spec.admissionChecksStrategy.admissionChecks.name", read},
    {"spec.cohort", read},
    {"spec.cohortName", read},
    {"spec.namespaceSelector", read},
    {"spec.queueingStrategy", read},
    {"spec.resourceGroups.coveredResources", read},
    {"spec.resourceGroups.flavors.name", read},
    {"spec.resourceGroups.flavors.resources.borrowingLimit", read},
    {"spec.resourceGroups.flavors.resources.name", read},
    {"spec.resourceGroups.flavors.resources.nominalQuota", read},
    {"spec.stopPolicy", read},
    {"status", read},
    {"spec.admissionChecksStrategy.admissionChecks.onFlavors", unseen},
    {"spec.admissionScope", unseen},
    {"spec.concurrentAdmissionPolicy", unseen},
    {"spec.fairSharing", unseen},
    {"spec.flavorFungibility", unseen},
    {"spec.preemption", unseen},
    {"spec.resourceGroups.flavors.resources.lendingLimit", unseen},
};

constexpr Row resource_flavor_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.nodeLabels", read},
    {"spec.nodeTaints", read},
    {"spec.tolerations", read},
    {"spec.topologyName", read},
};

constexpr Row topology_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.levels", unseen},
};

constexpr Row resource_claim_template_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec.spec.devices.requests.exactly.adminAccess", read},
    {"spec.spec.devices.requests.exactly.allocationMode", read},
    {"spec.spec.devices.requests.exactly.count", read},
    {"spec.spec.devices.requests.exactly.deviceClassName", read},
    {"spec.spec.devices.requests.exactly.selectors", read},
    {"spec.spec.devices.requests.firstAvailable", read},
    {"spec.spec.devices.requests.name", read},
    {"spec.spec.devices.requests.adminAccess", read},  // v1beta1, as the next four
    {"spec.spec.devices.requests.allocationMode", read},
    {"spec.spec.devices.requests.count", read},
    {"spec.spec.devices.requests.deviceClassName", read},
    {"spec.spec.devices.requests.selectors", read},
    {"spec.metadata", cannot},
    {"spec.spec.devices.config", unseen},
    {"spec.spec.devices.constraints", unseen},
    {"spec.spec.devices.requests.exactly.capacity", unseen},
    {"spec.spec.devices.requests.exactly.derivedAttributes", unseen},
    {"spec.spec.devices.requests.exactly.tolerations", unseen},
    {"spec.spec.devices.requests.capacity", unseen},  // v1beta1, as the next two
    {"spec.spec.devices.requests.derivedAttributes", unseen},
    {"spec.spec.devices.requests.tolerations", unseen},
};

constexpr Row priority_class_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"description", cannot},
    {"globalDefault", cannot},
    {"value", cannot},
    {"preemptionPolicy", unseen},
};

constexpr Row network_policy_rows[] = {
    {"apiVersion", read},
    {"kind", read},
    {"metadata", inside, "ObjectMeta"},
    {"spec", read},
};

}  // namespace

std::span<const Type> queue_types() {
  static constexpr Type all[] = {
      {"LocalQueue", "kueue:localqueues", "LocalQueue", local_queue_rows},
      {"ClusterQueue", "kueue:clusterqueues", "ClusterQueue", cluster_queue_rows},
      {"ResourceFlavor", "kueue:resourceflavors", "ResourceFlavor", resource_flavor_rows},
      {"Topology", "kueue:topologies", "Topology", topology_rows},
      {"ResourceClaimTemplate",
       "resource.v1.ResourceClaimTemplate resource.v1beta1.ResourceClaimTemplate",
       "ResourceClaimTemplate", resource_claim_template_rows},
      {"PriorityClass", "scheduling.v1.PriorityClass", "PriorityClass", priority_class_rows},
      {"NetworkPolicy", "networking.v1.NetworkPolicy", "NetworkPolicy", network_policy_rows},
  };
  return all;
}

}  // namespace tpuwh::server::fields
