#include "webhook/read/reads.hpp"

namespace tpuwh::webhook::read {

std::span<const ReadRow> reads() {
  static constexpr ReadRow rows[] = {
      {"review", "apiVersion, kind", "the answer must have the same version"},
      {"review", "request.uid", "the answer must carry it; logged"},
      {"review", "request.kind, subResource, operation",
       "only Pod creation is changed; only creation and update of a workload object are "
       "checked"},
      {"review", "request.namespace", "part of a slice's name where an owner has no uid; logged"},
      {"review", "request.dryRun",
       "a dry run changes nothing anywhere, and on it alone a probe is answered; logged"},
      {"Pod", "metadata.name, generateName, namespace", "to name the Pod in messages"},
      {"Pod", "metadata.ownerReferences[*].kind, name, uid, controller",
       "which Job, RayCluster or StatefulSet the Pod belongs to"},
      {"Pod",
       "metadata.labels and annotations of the Job and StatefulSet controllers, JobSet, "
       "LeaderWorkerSet, KubeRay, Kueue, GKE and ours, by name",
       "which member of which slice the Pod is, who places it, and whether it may be denied"},
      {"Pod", "spec.containers[*] and initContainers[*]: name, restartPolicy",
       "to tell processes from init containers"},
      {"Pod",
       "spec.containers[*].resources.limits and requests: google.com/tpu and "
       "deviceclass.resource.kubernetes.io/tpu.google.com; of limits other extended resources, "
       "which a DeviceClass may have",
       "chips of a host"},
      {"Pod",
       "spec.resourceClaims[*]: name, resourceClaimTemplateName, resourceClaimName; "
       "resources.claims[*].name",
       "chips requested by claim"},
      {"Pod", "spec.containers[*].env: names of all entries, values of the variables we know",
       "values already set are kept"},
      {"Pod", "spec.nodeSelector",
       "accelerator, topology, a ComputeClass, kinds of capacity, a pin on a node pool"},
      {"Pod", "spec.affinity", "the same from node affinity; terms of ours that are there already"},
      {"Pod",
       "spec.hostname, subdomain, hostnameOverride, hostNetwork, dnsPolicy, dnsConfig.searches",
       "whether the hosts of the slice have names that resolve"},
      {"Pod", "spec.tolerations", "which nodes its slice can use"},
      {"Pod", "spec.priority, schedulingGates[*].name, schedulingGroup",
       "slices repel each other within one priority; others may place the Pod"},
      {"RayCluster, RayJob, RayService",
       "spec of the cluster: headGroupSpec.template; workerGroupSpecs[*].groupName, numOfHosts, "
       "replicas, minReplicas, maxReplicas, suspend, template; enableInTreeAutoscaling",
       "whether the Pods of a worker group are the hosts of its topology"},
      {"JobSet",
       "spec.replicatedJobs[*]: name, replicas, dependsOn, template; spec.network.subdomain, "
       "enableDNSHostnames; spec.startupPolicy, coordinator",
       "whether the Pods of a replicated job are the hosts of its topology"},
      {"Job",
       "spec.completions, parallelism, completionMode, template, selector, manualSelector, "
       "podFailurePolicy.rules[*].onExitCodes.containerName; annotation "
       "kueue.x-k8s.io/job-min-parallelism",
       "likewise of a Job, and whether the API server makes it"},
      {"CronJob", "spec.jobTemplate.spec: what is read of a Job", "likewise of the Jobs it makes"},
      {"StatefulSet", "spec.replicas, serviceName, podManagementPolicy, template",
       "likewise of a StatefulSet"},
      {"Deployment", "spec.template", "whether its Pods, which are all alike, would be hosts"},
      {"LeaderWorkerSet",
       "spec.leaderWorkerTemplate: size, leaderTemplate, workerTemplate, subGroupPolicy; "
       "spec.networkConfig.subdomainPolicy, replicas, startupPolicy",
       "likewise of a group or a subgroup"},
      {"workload object",
       "metadata.name, generateName; ownerReferences[*].kind, controller; label "
       "kueue.x-k8s.io/queue-name; of an update the same of oldObject",
       "to name it; one that was made by a checked object, whose nodes a flavor of Kueue may "
       "choose or that was wrong before is not refused"},
      {"workload object", "of each Pod template what is read of a Pod",
       "the values that its Pods would get"},
      {"workload object",
       "of each Pod template restartPolicy, activeDeadlineSeconds, readinessGates; whether "
       "containers "
       "have a readinessProbe or startupProbe",
       "what its controller refuses, and what waits for its Pods"},
      {"workload object",
       "explain only: each field that docs/fields.md calls read, such as spec.nodeName, ports, "
       "requests, classes, activeDeadlineSeconds, managedBy",
       "other causes that keep a slice from forming, and fields that are not looked at"},
      {"cluster",
       "ResourceClaimTemplates, ResourceClaims: device classes, how many devices, selectors; "
       "selectors and extendedResourceName of DeviceClasses",
       "chips requested by claim"},
      {"cluster", "RayClusters: numOfHosts and replicas of each worker group",
       "no more ids than the group has members"},
      {"cluster",
       "Pods with JobSet's exclusive-topology annotation and completion index 0: owner, node; "
       "labels of Nodes with allocatable google.com/tpu",
       "the pool that a leader's followers select"},
      {"cluster",
       "Nodes with TPUs: name, labels, taints, unschedulable, condition Ready, allocatable "
       "google.com/tpu; of Pods that hold chips: node, chips, priority, slice-key",
       "the node pools that cannot hold a slice whole"},
      {"cluster", "Ray workers: index labels, token, replicaIndex, TPU_WORKER_ID",
       "places that are taken"},
      {"cluster", "Services with label ray.io/headless-worker-svc: the name",
       "the subdomain of Ray workers"},
      {"cluster",
       "explain --cluster only, with the rights of who asks: LocalQueues, ClusterQueues, "
       "ResourceFlavors, ComputeClasses; Services: the name, clusterIP",
       "what a slice waits for: quota, capacity, a headless Service"},
      {"file", "--cluster",
       "review, slices, audit and explain only: the cluster as kubectl printed it"},
      {"file", "--config", "settings, read once at startup"},
      {"file", "--tls-cert, --tls-key", "the server's certificate; read again when they change"},
      {"file", "--tls-client-ca", "the CAs of callers; read again when it changes"},
  };
  return rows;
}

}  // namespace tpuwh::webhook::read
