// Pods, their templates and what all objects have.
#include "kubectl/reference/fields/rows.hpp"

namespace tpuwh::server::fields {

namespace {

using enum Look;

constexpr Row object_meta_rows[] = {
    {"name", read},
    {"generateName", read},
    {"namespace", read},
    {"labels", read},
    {"annotations", read},
    {"ownerReferences", read},
    {"uid", read},
    {"deletionTimestamp", read},
    {"creationTimestamp", cannot},
    {"deletionGracePeriodSeconds", cannot},
    {"finalizers", cannot},
    {"generation", cannot},
    {"managedFields", cannot},
    {"resourceVersion", cannot},
    {"selfLink", cannot},
};

constexpr Row pod_rows[] = {
    {"apiVersion", read},        {"kind", read},     {"metadata", inside, "ObjectMeta"},
    {"spec", inside, "PodSpec"}, {"status", cannot},
};

constexpr Row pod_template_rows[] = {
    {"metadata", inside, "ObjectMeta"},
    {"spec", inside, "PodSpec"},
};

constexpr Row pod_spec_rows[] = {
    {"containers", inside, "Container"},
    {"initContainers", inside, "Container"},
    {"activeDeadlineSeconds", read},
    {"affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution", read},
    {"affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution", read},
    {"dnsConfig.searches", read},
    {"dnsPolicy", read},
    {"hostIPC", read},
    {"hostNetwork", read},
    {"hostPID", read},
    {"hostUsers", read},
    {"hostname", read},
    {"hostnameOverride", read},
    {"nodeName", read},
    {"nodeSelector", read},
    {"os", read},
    {"overhead", read},
    {"priority", read},
    {"priorityClassName", read},
    {"readinessGates", read},
    {"resourceClaims.name", read},
    {"resourceClaims.resourceClaimTemplateName", read},
    {"resourceClaims.resourceClaimName", read},
    {"resources", read},
    {"restartPolicy", read},
    {"runtimeClassName", read},
    {"schedulerName", read},
    {"schedulingGates", read},
    {"schedulingGroup", read},
    {"setHostnameAsFQDN", read},
    {"subdomain", read},
    {"tolerations", read},
    {"topologySpreadConstraints", read},
    {"affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution", cannot},
    {"affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution", cannot},
    {"affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution", cannot},
    {"dnsConfig.options", cannot},
    {"enableServiceLinks", cannot},
    {"ephemeralContainers", cannot},
    {"evictionResponders", cannot},
    {"hostAliases", cannot},
    {"shareProcessNamespace", cannot},
    {"terminationGracePeriodSeconds", cannot},
    {"automountServiceAccountToken", runs},
    {"imagePullSecrets", runs},
    {"securityContext", runs},
    {"serviceAccount", runs},
    {"serviceAccountName", runs},
    {"volumes", runs},
    {"affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution", unseen},
    {"dnsConfig.nameservers", unseen},
    {"preemptionPolicy", unseen},
};

constexpr Row container_rows[] = {
    {"env", read},
    {"name", read},
    {"ports", read},
    {"readinessProbe", read},
    {"resources", read},
    {"restartPolicy", read},
    {"startupProbe", read},
    {"resizePolicy", cannot},
    {"restartPolicyRules", cannot},
    {"terminationMessagePath", cannot},
    {"terminationMessagePolicy", cannot},
    {"args", runs},
    {"command", runs},
    {"envFrom", runs},
    {"image", runs},
    {"imagePullPolicy", runs},
    {"lifecycle", runs},
    {"livenessProbe", runs},
    {"securityContext", runs},
    {"stdin", runs},
    {"stdinOnce", runs},
    {"tty", runs},
    {"volumeDevices", runs},
    {"volumeMounts", runs},
    {"workingDir", runs},
};

}  // namespace

std::span<const Type> pod_types() {
  static constexpr Type all[] = {
      {"ObjectMeta", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "", object_meta_rows},
      {"Pod", "core.v1.Pod", "Pod", pod_rows},
      {"PodTemplate", "core.v1.PodTemplateSpec", "Pod", pod_template_rows},
      {"PodSpec", "core.v1.PodSpec", "", pod_spec_rows},
      {"Container", "core.v1.Container", "", container_rows},
  };
  return all;
}

}  // namespace tpuwh::server::fields
