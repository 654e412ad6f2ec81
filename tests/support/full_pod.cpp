#include "tests/support/full_pod.hpp"

#include "tests/support/pod_builder.hpp"

namespace tpuwh::test {

namespace {

json pod_term(const char* key) {
  return {{"labelSelector",
           {{"matchExpressions",
             json::array({{{"key", "app"}, {"operator", "In"}, {"values", {"a"}}}})}}},
          {"topologyKey", key},
          {"namespaceSelector", json::object()}};
}

json pod_affinity() {
  return {{"requiredDuringSchedulingIgnoredDuringExecution", {pod_term("zone")}},
          {"preferredDuringSchedulingIgnoredDuringExecution",
           json::array({{{"weight", 5}, {"podAffinityTerm", pod_term("region")}}})}};
}

}  // namespace

json full_pod() {
  PodBuilder pod = a_pod().jobset("train", "slice", 2, 1, 1).accelerator("tpu7x").topology("2x2x2");
  pod.annotation("cloud.google.com/gke-tpu-topology", "2x2x2");
  pod.annotation("tpu-webhook.dev/inject", "true");
  pod.annotation("tpu-webhook.dev/injected", "");
  pod.annotation("tpu-webhook.dev/slice", "");
  pod.annotation("tpu-webhook.dev/exclusive-topology", "cloud.google.com/gke-nodepool");
  pod.annotation("alpha.jobset.sigs.k8s.io/exclusive-topology", "cloud.google.com/gke-nodepool");
  pod.label("tpu-webhook.dev/slice-key", "x").label("tpu-webhook.dev/priority", "x");
  pod.label("replicaIndex", "x").label("ray.io/node-type", "head").label("ray.io/cluster", "c");
  pod.label("ray.io/group", "g").label("ray.io/worker-group-replica-index", "0");
  pod.label("ray.io/worker-group-replica-name", "g-x").label("ray.io/replica-host-index", "0");
  pod.label("kueue.x-k8s.io/queue-name", "");
  for (const char* name : {"main", "second"}) {
    if (name != std::string("main")) pod.container(name);
    pod.tpu("2").env("MINE", "1").env_from("TPU_WORKER_ID", "metadata.name");
    for (const char* variable : {"MEGASCALE_NUM_SLICES", "MEGASCALE_PORT", "TPU_PROCESS_PORT"})
      pod.env(variable, name == std::string("main") ? "8501" : "8502");
  }
  pod.init_container("prepare").tpu(2).env("TPU_NAME", "n");
  pod.sidecar("proxy").env("A", "b");
  pod.set("/metadata/name", "train-slice-1-1-abcde");
  pod.set("/spec/hostNetwork", false).set("/spec/hostnameOverride", "");
  pod.set("/spec/schedulingGates", json::array({{{"name", "example.com/gate"}}}));
  pod.set("/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution",
          {{"nodeSelectorTerms",
            json::array(
                {{{"matchExpressions",
                   json::array({{{"key", "zone"}, {"operator", "In"}, {"values", {"a", "b"}}}})},
                  {"matchFields",
                   json::array(
                       {{{"key", "metadata.name"}, {"operator", "In"}, {"values", {"n"}}}})}}})}});
  pod.set("/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution",
          json::array({{{"weight", 1}, {"preference", json::object()}}}));
  pod.set("/spec/tolerations", json::array({{{"key", "google.com/tpu"},
                                             {"operator", "Equal"},
                                             {"value", "present"},
                                             {"effect", "NoSchedule"}}}));
  pod.set("/spec/dnsConfig", {{"searches", {"default.svc.cluster.local"}}});
  pod.set("/spec/schedulingGroup", {{"podGroupName", "g"}});
  pod.set("/spec/resourceClaims",
          json::array({{{"name", "net"}, {"resourceClaimTemplateName", "all-netdev"}}}));
  pod.set("/spec/containers/0/resources/claims", json::array({{{"name", "net"}}}));
  pod.set("/spec/affinity/podAffinity", pod_affinity());
  pod.set("/spec/affinity/podAntiAffinity", pod_affinity());
  return pod.pod();
}

}  // namespace tpuwh::test
