#include "tests/support/pod_builder.hpp"

namespace tpuwh::test {

PodBuilder::PodBuilder()
    : pod_({{"kind", "Pod"},
            {"apiVersion", "v1"},
            {"metadata", {{"generateName", "p-"}, {"namespace", "default"}}},
            {"spec",
             {{"containers", json::array({{{"name", "main"}, {"image", "i"}}})},
              {"dnsPolicy", "ClusterFirst"},
              {"priority", 0}}}}),
      last_("/spec/containers/0") {
  accelerator("tpu-v6e-slice");
}

PodBuilder& PodBuilder::label(std::string_view key, const json& value) {
  pod_["metadata"]["labels"][std::string(key)] = value;
  return *this;
}

PodBuilder& PodBuilder::annotation(std::string_view key, const json& value) {
  pod_["metadata"]["annotations"][std::string(key)] = value;
  return *this;
}

PodBuilder& PodBuilder::selector(std::string_view key, const json& value) {
  pod_["spec"]["nodeSelector"][std::string(key)] = value;
  return *this;
}

PodBuilder& PodBuilder::topology(std::string_view text) {
  return selector("cloud.google.com/gke-tpu-topology", text);
}

PodBuilder& PodBuilder::accelerator(std::string_view label) {
  if (!label.empty()) return selector("cloud.google.com/gke-tpu-accelerator", label);
  pod_["spec"]["nodeSelector"].erase("cloud.google.com/gke-tpu-accelerator");
  return *this;
}

PodBuilder& PodBuilder::owner(std::string_view kind, std::string_view name, std::string_view uid) {
  json reference = {{"apiVersion", "v1"}, {"kind", kind}, {"name", name}, {"controller", true}};
  if (!uid.empty()) reference["uid"] = uid;
  pod_["metadata"]["ownerReferences"] = json::array({reference});
  return *this;
}

PodBuilder& PodBuilder::job(std::string_view name, std::uint32_t index) {
  const std::string job(name), at = std::to_string(index), uid = "uid-of-" + job;
  owner("Job", name, uid);
  label("batch.kubernetes.io/controller-uid", uid);
  label("batch.kubernetes.io/job-completion-index", at);
  label("batch.kubernetes.io/job-name", name).label("job-name", name);
  annotation("batch.kubernetes.io/job-completion-index", at);
  pod_["metadata"]["generateName"] = job + "-" + at + "-";
  pod_["spec"]["hostname"] = job + "-" + at;
  pod_["spec"]["subdomain"] = "svc";
  return *this;
}

PodBuilder& PodBuilder::statefulset(std::string_view name, std::uint32_t ordinal) {
  const std::string at = std::to_string(ordinal), pod = std::string(name) + "-" + at;
  owner("StatefulSet", name, "uid-of-" + std::string(name));
  label("apps.kubernetes.io/pod-index", at);
  label("statefulset.kubernetes.io/pod-name", pod);
  pod_["metadata"]["name"] = pod;
  pod_["spec"]["hostname"] = pod;
  pod_["spec"]["subdomain"] = "svc";
  return *this;
}

PodBuilder& PodBuilder::lws(std::string_view name, std::uint32_t group, std::uint32_t worker,
                            std::uint32_t size) {
  const std::string prefix = "leaderworkerset.sigs.k8s.io/", set(name);
  const std::string leader = set + "-" + std::to_string(group);
  if (worker == 0) {
    statefulset(set, group);
  } else {
    statefulset(leader, worker);
    annotation(prefix + "leader-name", leader);
  }
  label(prefix + "name", name);
  label(prefix + "group-index", std::to_string(group));
  label(prefix + "worker-index", std::to_string(worker));
  return annotation(prefix + "size", std::to_string(size));
}

PodBuilder& PodBuilder::jobset(std::string_view name, std::string_view replicated_job,
                               std::uint32_t replicas, std::uint32_t slice, std::uint32_t index) {
  const std::string set(name), part(replicated_job), count = std::to_string(replicas),
                                                     at = std::to_string(slice);
  job(set + "-" + part + "-" + at, index);
  for (const auto& [key, value] : {std::pair{"jobset-name", set},
                                   {"replicatedjob-name", part},
                                   {"replicatedjob-replicas", count},
                                   {"job-index", at},
                                   {"group-name", "default"},
                                   {"group-replicas", count},
                                   {"job-group-index", at}})
    label(std::string("jobset.sigs.k8s.io/") + key, value);
  pod_["spec"]["subdomain"] = set;
  return *this;
}

PodBuilder& PodBuilder::ray(std::string_view cluster, std::string_view group, std::uint32_t replica,
                            std::uint32_t host) {
  const std::string name(group), at = std::to_string(replica);
  owner("RayCluster", cluster, "uid-of-" + std::string(cluster));
  label("ray.io/node-type", "worker").label("ray.io/cluster", cluster);
  label("ray.io/group", group).label("ray.io/worker-group-replica-index", at);
  label("ray.io/worker-group-replica-name", name + "-r" + at);
  label("ray.io/replica-host-index", std::to_string(host));
  pod_["metadata"]["generateName"] = std::string(cluster) + "-" + name + "-worker-";
  return *this;
}

PodBuilder& PodBuilder::without_place() {
  for (const char* label :
       {"worker-group-replica-index", "worker-group-replica-name", "replica-host-index"})
    remove("/metadata/labels/ray.io~1" + std::string(label));
  return *this;
}

json& PodBuilder::last() {
  return pod_[json::json_pointer(last_)];
}

PodBuilder& PodBuilder::tpu(const json& quantity) {
  last()["resources"] = {{"limits", {{"google.com/tpu", quantity}}},
                         {"requests", {{"google.com/tpu", quantity}}}};
  return *this;
}

PodBuilder& PodBuilder::add_container(const std::string& list, std::string_view name,
                                      const json& chips) {
  json& containers = pod_["spec"][list];
  last_ = "/spec/" + list + "/" + std::to_string(containers.size());
  containers.push_back({{"name", name}, {"image", "i"}});
  return chips.is_null() ? *this : tpu(chips);
}

PodBuilder& PodBuilder::container(std::string_view name, const json& chips) {
  return add_container("containers", name, chips);
}

PodBuilder& PodBuilder::init_container(std::string_view name, const json& chips) {
  return add_container("initContainers", name, chips);
}

PodBuilder& PodBuilder::sidecar(std::string_view name, const json& chips) {
  init_container(name, chips);
  last()["restartPolicy"] = "Always";
  return *this;
}

PodBuilder& PodBuilder::env(std::string_view name, std::string_view value) {
  return env_entry({{"name", name}, {"value", value}});
}

PodBuilder& PodBuilder::env_from(std::string_view name, std::string_view field_path) {
  return env_entry({{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", field_path}}}}}});
}

PodBuilder& PodBuilder::env_entry(const json& entry) {
  last()["env"].push_back(entry);
  return *this;
}

PodBuilder& PodBuilder::set(const std::string& pointer, const json& value) {
  pod_[json::json_pointer(pointer)] = value;
  return *this;
}

PodBuilder& PodBuilder::remove(const std::string& pointer) {
  const json::json_pointer at(pointer);
  pod_[at.parent_pointer()].erase(at.back());
  return *this;
}

json PodBuilder::review_json() const {
  return review_of(pod_);
}

json review_of(const json& pod) {
  const json kind = {{"group", ""}, {"version", "v1"}, {"kind", "Pod"}};
  const json resource = {{"group", ""}, {"version", "v1"}, {"resource", "pods"}};
  return {{"kind", "AdmissionReview"},
          {"apiVersion", "admission.k8s.io/v1"},
          {"request",
           {{"uid", "6f1d9a3e-0000-4000-8000-000000000001"},
            {"kind", kind},
            {"resource", resource},
            {"requestKind", kind},
            {"requestResource", resource},
            {"namespace", "default"},
            {"operation", "CREATE"},
            {"userInfo", {{"username", "system:serviceaccount:kube-system:job-controller"}}},
            {"object", pod},
            {"oldObject", nullptr},
            {"dryRun", false},
            {"options", {{"kind", "CreateOptions"}, {"apiVersion", "meta.k8s.io/v1"}}}}}};
}

}  // namespace tpuwh::test
