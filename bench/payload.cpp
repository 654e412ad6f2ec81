#include "bench/payload.hpp"

#include <nlohmann/json.hpp>

namespace tpuwh::bench {

namespace {

using Json = nlohmann::ordered_json;

Json labels() {
  Json labels;
  const char* const jobset = "jobset.sigs.k8s.io/";
  const char* const batch = "batch.kubernetes.io/";
  labels[std::string(batch) + "controller-uid"] = "3c6c9e5a-8a5f-4b8e-9f0a-6d7e8f901234";
  labels[std::string(batch) + "job-completion-index"] = "2";
  labels[std::string(batch) + "job-name"] = "maxtext-run-slice-1";
  labels["controller-uid"] = "3c6c9e5a-8a5f-4b8e-9f0a-6d7e8f901234";
  labels["job-name"] = "maxtext-run-slice-1";
  for (const auto& [key, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"global-replicas", "2"},
           {"group-name", "default"},
           {"group-replicas", "2"},
           {"job-global-index", "1"},
           {"job-group-index", "1"},
           {"job-index", "1"},
           {"job-key", "044260f198ae46a65f3b09bd588a643c31256331"},
           {"jobset-name", "maxtext-run"},
           {"jobset-uid", "7d3f8f1e-0d8c-4a57-9c53-1f2e3d4c5b6a"},
           {"priority", "0"},
           {"replicatedjob-name", "slice"},
           {"replicatedjob-replicas", "2"},
           {"restart-attempt", "0"}})
    labels[std::string(jobset) + key] = value;
  labels["kueue.x-k8s.io/podset"] = "slice";
  labels["team"] = "research";
  return labels;
}

Json environment() {
  Json env = Json::array();
  for (int i = 0; i < 18; ++i)
    env.push_back({{"name", "MAXTEXT_SETTING_" + std::to_string(i)},
                   {"value", "--flag_number_" + std::to_string(i) + "=some value of a user's"}});
  env.push_back(
      {{"name", "JOB_COMPLETION_INDEX"},
       {"valueFrom",
        {{"fieldRef",
          {{"apiVersion", "v1"},
           {"fieldPath", "metadata.labels['batch.kubernetes.io/job-completion-index']"}}}}}});
  return env;
}

// What the field manager of the Job controller records: every field once more.
Json managed_fields(const Json& env) {
  Json container = {
      {".", Json::object()},
      {"f:command", Json::object()},
      {"f:image", Json::object()},
      {"f:imagePullPolicy", Json::object()},
      {"f:name", Json::object()},
      {"f:resources",
       {{".", Json::object()},
        {"f:limits", {{".", Json::object()}, {"f:google.com/tpu", Json::object()}}},
        {"f:requests", {{".", Json::object()}, {"f:google.com/tpu", Json::object()}}}}}};
  Json fields = {{".", Json::object()}};
  for (const Json& entry : env)
    fields["k:{\"name\":\"" + entry["name"].get<std::string>() + "\"}"] = {
        {".", Json::object()}, {"f:name", Json::object()}, {"f:value", Json::object()}};
  container["f:env"] = fields;
  Json metadata;
  const Json own_labels = labels();
  for (const auto& [key, value] : own_labels.items()) metadata["f:" + key] = Json::object();
  return Json::array(
      {{{"manager", "kube-controller-manager"},
        {"operation", "Update"},
        {"apiVersion", "v1"},
        {"time", "2026-11-21T10:00:00Z"},
        {"fieldsType", "FieldsV1"},
        {"fieldsV1",
         {{"f:metadata", {{"f:generateName", Json::object()}, {"f:labels", metadata}}},
          {"f:spec",
           {{"f:containers", {{"k:{\"name\":\"jax-tpu\"}", container}}},
            {"f:nodeSelector", Json::object()},
            {"f:restartPolicy", Json::object()}}}}}}});
}

Json jobset_affinity() {
  const Json own = {{"key", "jobset.sigs.k8s.io/job-key"},
                    {"operator", "In"},
                    {"values", {"044260f198ae46a65f3b09bd588a643c31256331"}}};
  Json other = own;
  other["operator"] = "NotIn";
  const auto term = [](const Json& expressions) {
    return Json{{"labelSelector", {{"matchExpressions", expressions}}},
                {"topologyKey", "cloud.google.com/gke-nodepool"},
                {"namespaceSelector", Json::object()}};
  };
  const char* const required = "requiredDuringSchedulingIgnoredDuringExecution";
  return {{"podAffinity", {{required, Json::array({term(Json::array({own}))})}}},
          {"podAntiAffinity",
           {{required,
             Json::array({term(Json::array(
                 {{{"key", "jobset.sigs.k8s.io/job-key"}, {"operator", "Exists"}}, other}))})}}}};
}

// A training script that stands in the command, as in many guides.
std::string script() {
  std::string text = "set -e\ncat <<'EOF' > train.py\n";
  for (int i = 0; i < 44; ++i)
    text +=
        "    losses[" + std::to_string(i) + "] = step(params, batch)  # one more of its lines\n";
  return text + "EOF\npython3 train.py\n";
}

Json container(const Json& env) {
  return {{"name", "jax-tpu"},
          {"image", "us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:latest"},
          {"command", {"bash", "-c", script()}},
          {"ports", Json::array({{{"containerPort", 8471}, {"protocol", "TCP"}},
                                 {{"containerPort", 8080}, {"protocol", "TCP"}}})},
          {"env", env},
          {"resources",
           {{"limits", {{"google.com/tpu", "4"}}}, {"requests", {{"google.com/tpu", "4"}}}}},
          {"volumeMounts",
           Json::array({{{"name", "kube-api-access-2xk9p"},
                         {"readOnly", true},
                         {"mountPath", "/var/run/secrets/kubernetes.io/serviceaccount"}}})},
          {"terminationMessagePath", "/dev/termination-log"},
          {"terminationMessagePolicy", "File"},
          {"imagePullPolicy", "Always"},
          {"securityContext", {{"privileged", true}}}};
}

Json spec(const Json& env, const std::string& accelerator, const std::string& topology) {
  return {{"containers", Json::array({container(env)})},
          {"restartPolicy", "Never"},
          {"terminationGracePeriodSeconds", 30},
          {"dnsPolicy", "ClusterFirstWithHostNet"},
          {"nodeSelector",
           {{"cloud.google.com/gke-tpu-accelerator", accelerator},
            {"cloud.google.com/gke-tpu-topology", topology}}},
          {"serviceAccountName", "default"},
          {"serviceAccount", "default"},
          {"hostNetwork", true},
          {"securityContext", Json::object()},
          {"hostname", "maxtext-run-slice-1-2"},
          {"subdomain", "maxtext-run"},
          {"affinity", jobset_affinity()},
          {"schedulerName", "default-scheduler"},
          {"tolerations",
           Json::array(
               {{{"key", "google.com/tpu"}, {"operator", "Exists"}, {"effect", "NoSchedule"}}})},
          {"priority", 0},
          {"enableServiceLinks", true},
          {"preemptionPolicy", "PreemptLowerPriority"},
          {"schedulingGates", Json::array({{{"name", "example.com/ready"}}})}};
}

std::string review(const std::string& accelerator, const std::string& topology) {
  const Json env = environment();
  Json annotations = labels();
  annotations["alpha.jobset.sigs.k8s.io/exclusive-topology"] = "cloud.google.com/gke-nodepool";
  const Json pod = {
      {"kind", "Pod"},
      {"apiVersion", "v1"},
      {"metadata",
       {{"generateName", "maxtext-run-slice-1-2-"},
        {"namespace", "training"},
        {"labels", labels()},
        {"annotations", annotations},
        {"ownerReferences", Json::array({{{"apiVersion", "batch/v1"},
                                          {"kind", "Job"},
                                          {"name", "maxtext-run-slice-1"},
                                          {"uid", "3c6c9e5a-8a5f-4b8e-9f0a-6d7e8f901234"},
                                          {"controller", true},
                                          {"blockOwnerDeletion", true}}})},
        {"finalizers", {"batch.kubernetes.io/job-tracking"}},
        {"managedFields", managed_fields(env)}}},
      {"spec", spec(env, accelerator, topology)},
      {"status", Json::object()}};
  const Json pods = {{"group", ""}, {"version", "v1"}, {"kind", "Pod"}};
  const Json resource = {{"group", ""}, {"version", "v1"}, {"resource", "pods"}};
  return Json{{"kind", "AdmissionReview"},
              {"apiVersion", "admission.k8s.io/v1"},
              {"request",
               {{"uid", "0df28fbd-5f5f-11e8-bc74-36e6bb280816"},
                {"kind", pods},
                {"resource", resource},
                {"requestKind", pods},
                {"requestResource", resource},
                {"namespace", "training"},
                {"operation", "CREATE"},
                {"userInfo",
                 {{"username", "system:serviceaccount:kube-system:job-controller"},
                  {"uid", "2b1a3f3e-7f2c-4c7e-8d49-5a6b7c8d9e0f"},
                  {"groups",
                   {"system:serviceaccounts", "system:serviceaccounts:kube-system",
                    "system:authenticated"}}}},
                {"object", pod},
                {"oldObject", nullptr},
                {"dryRun", false},
                {"options", {{"kind", "CreateOptions"}, {"apiVersion", "meta.k8s.io/v1"}}}}}}
             .dump() +
         "\n";
}

}  // namespace

std::string jobset_review() {
  return review("tpu-v6e-slice", "4x4");
}

std::string jobset_review_of(const std::string& topology) {
  return review("tpu-v5p-slice", topology);
}

}  // namespace tpuwh::bench
