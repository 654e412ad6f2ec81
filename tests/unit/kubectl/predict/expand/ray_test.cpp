#include "tests/unit/kubectl/predict/expand/expanded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::expand {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* small_cluster = R"(
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: rc}
spec:
  headGroupSpec:
    template: {spec: {containers: [{name: head, image: "ray:1"}]}}
  workerGroupSpecs:
  - groupName: g
    replicas: 2
    numOfHosts: 2
    template: {spec: {containers: [{name: w, image: "ray:1"}]}}
)";

Expansion cluster_with(const Edits& edits, const ExpandOptions& options = {}) {
  return expand_edited(small_cluster, edits, options);
}

Json made_by(const char* kind, const char* key) {
  Json out = Json::object({{"apiVersion", "ray.io/v1"}, {"kind", kind}});
  out["metadata"]["name"] = "own";
  out["spec"][key] = object_of(small_cluster)["spec"];
  return out;
}

// Returns the first container of a Pod. Pod 0 is the head, and the others are workers.
const Json& first_container(const Expansion& got, std::size_t pod) {
  return got.pods.at(pod)["spec"]["containers"][0];
}

std::string command_of(const Expansion& got, std::size_t pod) {
  return first_container(got, pod)["args"][0];
}

TEST(ARayCluster, has_indices_where_the_operator_writes_them) {
  const Expansion got = cluster_with({}, {.ray_indices = true});
  EXPECT_EQ(labels_of(got, "ray.io/worker-group-replica-index"), (Texts{"-", "0", "0", "1", "1"}));
  EXPECT_EQ(labels_of(got, "ray.io/replica-host-index"), (Texts{"-", "0", "1", "0", "1"}));
  const Texts names = labels_of(got, "ray.io/worker-group-replica-name");
  EXPECT_EQ(names.at(1), names.at(2));
  EXPECT_NE(names.at(1), names.at(3));
  EXPECT_EQ(labels_of(cluster_with({}), "ray.io/replica-host-index"), Texts(5, "-"));
  const Expansion alone =
      cluster_with({{"/spec/workerGroupSpecs/0/numOfHosts", nullptr}}, {.ray_indices = true});
  EXPECT_EQ(labels_of(alone, "ray.io/worker-group-replica-index"), (Texts{"-", "0", "1"}));
  EXPECT_EQ(labels_of(alone, "ray.io/replica-host-index"), Texts(3, "-"));
}

// The probes of a worker whose cluster is of this Ray.
Json liveness_of(const char* ray_version) {
  return first_container(cluster_with({{"/spec/rayVersion", ray_version},
                                       {"/spec/workerGroupSpecs/0/rayStartParams",
                                        "{dashboard-agent-listen-port: '7000'}"}}),
                         1)["livenessProbe"];
}

TEST(ARayCluster, is_asked_over_http_from_2_53_on) {
  for (const char* version : {"'2.53'", "2.53.0", "v2.60.1", "3.0.0"}) {
    const Json probe = liveness_of(version);
    ASSERT_TRUE(probe.contains("httpGet")) << version;
    EXPECT_EQ(probe["httpGet"], (Json{{"path", "/api/healthz"}, {"port", 7000}}));
    EXPECT_FALSE(probe.contains("exec"));
  }
  for (const char* version : {"2.52.9", "1.99.0", "nightly", "''", "'3'"}) {
    const Json probe = liveness_of(version);
    ASSERT_TRUE(probe.contains("exec")) << version;
    EXPECT_THAT(std::string(probe["exec"]["command"][2]), HasSubstr(":7000/"));
  }
}

TEST(ARayCluster, has_no_shared_memory_where_ray_keeps_its_objects_elsewhere) {
  EXPECT_TRUE(first_container(cluster_with({}), 1).contains("volumeMounts"));
  const Edits elsewhere = {
      {"/spec/workerGroupSpecs/0/rayStartParams", "{plasma-directory: /data}"}};
  EXPECT_FALSE(first_container(cluster_with(elsewhere), 1).contains("volumeMounts"));
}

TEST(ARayCluster, takes_its_token_from_a_secret_of_the_users_or_of_the_account) {
  const auto head = [](const char* options) {
    return cluster_with({{"/spec/authOptions", options}}).pods.at(0)["spec"].dump();
  };
  EXPECT_THAT(head("{mode: token, secretName: own}"), HasSubstr(R"("secretKeyRef":{"name":"own")"));
  const std::string account = head("{mode: token, enableK8sTokenAuth: true}");
  EXPECT_THAT(account, HasSubstr("RAY_ENABLE_K8S_TOKEN_AUTH"));
  EXPECT_THAT(account, HasSubstr("serviceAccountToken"));
  EXPECT_THAT(account, Not(HasSubstr("secretKeyRef")));
}

TEST(ALabel, of_a_ray_pod_gives_way_unless_it_selects) {
  const Expansion got = cluster_with({{"/spec/headGroupSpec/template/metadata/labels",
                                       "{app.kubernetes.io/name: mine, ray.io/cluster: mine}"}});
  EXPECT_EQ(labels_of(got, "app.kubernetes.io/name").at(0), "mine");
  EXPECT_EQ(labels_of(got, "ray.io/cluster").at(0), "rc");
}

TEST(ACommand, of_the_user_runs_before_ray) {
  Edits edits = {{"/spec/headGroupSpec/template/spec/containers/0/command", "[echo, hi]"}};
  EXPECT_THAT(command_of(cluster_with(edits), 0),
              StartsWith(" echo  hi  && ulimit -n 65536; ray start --head "));
  edits.emplace_back("/spec/headGroupSpec/template/spec/containers/0/args",
                     "['; ray start --head']");
  EXPECT_EQ(command_of(cluster_with(edits), 0), "; ray start --head");
}

TEST(ACommand, of_the_user_is_kept_on_request) {
  const Expansion got =
      cluster_with({{"/metadata/annotations", "{ray.io/overwrite-container-cmd: 'true'}"}});
  EXPECT_FALSE(first_container(got, 0).contains("command"));
}

TEST(ResourcesOfAContainer, are_parameters_of_ray) {
  Edits edits = {{"/spec/workerGroupSpecs/0/template/spec/containers/0/resources",
                  "{limits: {cpu: 2500m, memory: 1Gi, google.com/tpu: 4, nvidia.com/gpu: '1'}, "
                  "requests: {cpu: 1}}"}};
  const std::string command = command_of(cluster_with(edits), 1);
  for (const char* want :
       {" --num-cpus=3 ", " --memory=1073741824 ", " --num-gpus=1 ", " --resources='{\"TPU\":4}' "})
    EXPECT_THAT(command, HasSubstr(want));
  edits.emplace_back("/spec/workerGroupSpecs/0/rayStartParams",
                     R"({num-cpus: "7", resources: "'{\"TPU\": 8, \"a\": 0.5}'"})");
  const std::string given = command_of(cluster_with(edits), 1);
  EXPECT_THAT(given, HasSubstr(" --num-cpus=7 "));
  EXPECT_THAT(given, HasSubstr(" --resources='{\"TPU\": 8, \"a\": 0.5}' "));
}

TEST(ResourcesOfAGroup, come_before_those_of_its_containers) {
  const Expansion got =
      cluster_with({{"/spec/workerGroupSpecs/0/resources", "{CPU: '5', custom: 1500m}"},
                    {"/spec/workerGroupSpecs/0/labels", "{zone: b, a: c}"}});
  for (const char* want :
       {" --num-cpus=5 ", " --resources='{\"custom\":1.5}' ", " --labels=a=c,zone=b "})
    EXPECT_THAT(command_of(got, 1), HasSubstr(want));
  EXPECT_EQ(labels_of(got, "zone").at(1), "b");
}

TEST(ALongName, of_a_ray_cluster_loses_its_end) {
  const std::string name(53, 'a');
  const Expansion got = cluster_with({{"/metadata/name", name.c_str()}});
  EXPECT_EQ(names_of(got).at(0), std::string(50, 'a') + "-head-");
  EXPECT_EQ(labels_of(got, "ray.io/identifier").at(1), name + "-worker");
}

TEST(AnAutoscaler, stands_beside_the_head) {
  const Expansion got = cluster_with({{"/spec/enableInTreeAutoscaling", "true"},
                                      {"/spec/autoscalerOptions", "{version: v2, image: mine}"}});
  const Json& spec = got.pods.at(0)["spec"];
  EXPECT_EQ(spec["containers"][1]["name"], "autoscaler");
  EXPECT_EQ(spec["containers"][1]["image"], "mine");
  EXPECT_EQ(spec["serviceAccountName"], "rc");
  EXPECT_EQ(spec["volumes"].size(), 2u);
  EXPECT_THAT(command_of(got, 0), HasSubstr(" --no-monitor "));
  EXPECT_EQ(got.pods.at(1)["spec"]["restartPolicy"], "Never");
}

TEST(FaultTolerance, stores_under_the_uid) {
  const Expansion got = cluster_with({{"/spec/gcsFaultToleranceOptions",
                                       "{redisAddress: 'redis:6379', redisPassword: {value: x}}"}});
  const Json& metadata = got.pods.at(0)["metadata"];
  EXPECT_EQ(metadata["annotations"]["ray.io/ft-enabled"], "true");
  EXPECT_EQ(metadata["annotations"]["ray.io/external-storage-namespace"],
            metadata["ownerReferences"][0]["uid"]);
  EXPECT_EQ(variable(got, "RAY_REDIS_ADDRESS").at(0), "redis:6379");
  EXPECT_EQ(variable(got, "RAY_gcs_rpc_server_reconnect_timeout_s").at(1), "600");
}

TEST(AToken, is_read_by_all_containers_of_ray) {
  const Expansion got = cluster_with({{"/spec/authOptions", "{mode: token}"}});
  EXPECT_EQ(variable(got, "RAY_AUTH_MODE"), Texts(5, "token"));
  const Json& waiting = got.pods.at(1)["spec"]["initContainers"][0]["env"];
  EXPECT_EQ(waiting[0]["name"], "RAY_AUTH_MODE");
}

TEST(ARayService, has_a_cluster_of_its_own_that_serves) {
  const Json service = made_by("RayService", "rayClusterConfig");
  const Expansion got = expansion_of(service);
  EXPECT_EQ(pod_count(service), 5u);
  EXPECT_EQ(labels_of(got, "ray.io/serve"), (Texts{"false", "true", "true", "true", "true"}));
  EXPECT_EQ(variable(got, "RAY_SERVE_KV_TIMEOUT_S"), Texts(5, "5"));
  const std::string name = labels_of(got, "ray.io/cluster").at(0);
  EXPECT_TRUE(name.starts_with("own-") && name.size() == 9) << name;
  EXPECT_EQ(first_container(got, 1)["readinessProbe"]["failureThreshold"], 1);
}

TEST(ARayJob, is_submitted_by_a_pod) {
  Json job = made_by("RayJob", "rayClusterSpec");
  job["spec"]["entrypoint"] = "python x.py ";
  job["spec"]["jobId"] = "run";
  job["spec"]["runtimeEnvYAML"] = "pip: [b]\nenv_vars: {a: \"1\"}\n";
  job["spec"]["entrypointNumCpus"] = 0.5;
  const Expansion got = expansion_of(job);
  ASSERT_EQ(got.pods.size(), 6u) << got.error;
  EXPECT_THAT(command_of(got, 5),
              HasSubstr(R"(--no-wait --runtime-env-json "{\"env_vars\":{\"a\":\"1\"},)"
                        R"(\"pip\":[\"b\"]}" --submission-id run )"
                        "--entrypoint-num-cpus 0.500000 -- python x.py ; fi ;"));
}

TEST(ARayJob, may_be_submitted_beside_the_head_or_by_the_operator) {
  Json job = made_by("RayJob", "rayClusterSpec");
  for (const char* mode : {"SidecarMode", "HTTPMode"}) {
    job["spec"]["submissionMode"] = mode;
    EXPECT_EQ(expansion_of(job).pods.size(), 5u) << mode;
    EXPECT_EQ(pod_count(job), 5u) << mode;
  }
  job["spec"]["submissionMode"] = "SidecarMode";
  const Json head = expansion_of(job).pods.at(0)["spec"];
  EXPECT_EQ(head["containers"][1]["name"], "ray-job-submitter");
  EXPECT_EQ(head["restartPolicy"], "Never");
}

TEST(ARayJob, of_a_cluster_that_is_there_makes_no_other) {
  Json job = made_by("RayJob", "rayClusterSpec");
  job["spec"].erase("rayClusterSpec");
  job["spec"]["clusterSelector"] = {{"ray.io/cluster", "there"}};
  const Expansion got = expansion_of(job);
  ASSERT_EQ(got.pods.size(), 1u) << got.error;
  EXPECT_EQ(pod_count(job), 1u);
  EXPECT_EQ(variable(got, "RAY_DASHBOARD_ADDRESS").at(0),
            "there-head-svc.default.svc.cluster.local:8265");
}

}  // namespace
}  // namespace tpuwh::server::expand
