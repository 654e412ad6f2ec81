#include "tests/unit/kubectl/predict/expand/expanded.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tpuwh::server::expand {
namespace {

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

Json made_by(const char* kind, const char* key) {
  Json out = Json::object({{"apiVersion", "ray.io/v1"}, {"kind", kind}});
  out["metadata"]["name"] = "own";
  out["spec"][key] = object_of(small_cluster)["spec"];
  return out;
}

const Json& first_container(const Json& pod) {
  return pod["spec"]["containers"][0];
}

std::string command_of(const Json& pod) {
  return first_container(pod)["args"][0];
}

TEST(ARayCluster, has_indices_where_the_operator_writes_them) {
  const Json cluster = object_of(small_cluster);
  const Expansion got = expansion_of(cluster, {.ray_indices = true});
  EXPECT_EQ(labels_of(got, "ray.io/worker-group-replica-index"), (Texts{"-", "0", "0", "1", "1"}));
  EXPECT_EQ(labels_of(got, "ray.io/replica-host-index"), (Texts{"-", "0", "1", "0", "1"}));
  const Texts names = labels_of(got, "ray.io/worker-group-replica-name");
  EXPECT_EQ(names.at(1), names.at(2));
  EXPECT_NE(names.at(1), names.at(3));
  EXPECT_EQ(labels_of(expansion_of(cluster), "ray.io/replica-host-index"), Texts(5, "-"));
}

TEST(ARayCluster, of_single_hosts_has_the_index_of_the_replica_alone) {
  Json cluster = object_of(small_cluster);
  cluster["spec"]["workerGroupSpecs"][0].erase("numOfHosts");
  const Expansion got = expansion_of(cluster, {.ray_indices = true});
  EXPECT_EQ(labels_of(got, "ray.io/worker-group-replica-index"), (Texts{"-", "0", "1"}));
  EXPECT_EQ(labels_of(got, "ray.io/replica-host-index"), Texts(3, "-"));
}

// The probes of a worker whose cluster is of this Ray.
Json liveness_of(const std::string& ray_version) {
  Json cluster = object_of(small_cluster);
  cluster["spec"]["rayVersion"] = ray_version;
  cluster["spec"]["workerGroupSpecs"][0]["rayStartParams"] = {
      {"dashboard-agent-listen-port", "7000"}};
  return first_container(expansion_of(cluster).pods.at(1))["livenessProbe"];
}

TEST(ARayCluster, is_asked_over_http_from_2_53_on) {
  for (const char* version : {"2.53", "2.53.0", "v2.60.1", "3.0.0"}) {
    const Json probe = liveness_of(version);
    ASSERT_TRUE(probe.contains("httpGet")) << version;
    EXPECT_EQ(probe["httpGet"], (Json{{"path", "/api/healthz"}, {"port", 7000}}));
    EXPECT_FALSE(probe.contains("exec"));
  }
  for (const char* version : {"2.52.9", "1.99.0", "nightly", "", "3"}) {
    const Json probe = liveness_of(version);
    ASSERT_TRUE(probe.contains("exec")) << version;
    EXPECT_NE(std::string(probe["exec"]["command"][2]).find(":7000/"), std::string::npos);
  }
}

TEST(ARayCluster, has_no_shared_memory_where_ray_keeps_its_objects_elsewhere) {
  Json cluster = object_of(small_cluster);
  EXPECT_EQ(first_container(expansion_of(cluster).pods.at(1)).count("volumeMounts"), 1u);
  cluster["spec"]["workerGroupSpecs"][0]["rayStartParams"] = {{"plasma-directory", "/data"}};
  EXPECT_EQ(first_container(expansion_of(cluster).pods.at(1)).count("volumeMounts"), 0u);
}

TEST(ARayCluster, takes_its_token_from_a_secret_of_the_users_or_of_the_account) {
  Json cluster = object_of(small_cluster);
  cluster["spec"]["authOptions"] = {{"mode", "token"}, {"secretName", "own"}};
  const auto has = [](const Json& pod, const char* text) {
    return pod["spec"].dump().find(text) != std::string::npos;
  };
  EXPECT_TRUE(has(expansion_of(cluster).pods.at(0), R"("secretKeyRef":{"name":"own")"));
  cluster["spec"]["authOptions"] = {{"mode", "token"}, {"enableK8sTokenAuth", true}};
  const Json head = expansion_of(cluster).pods.at(0);
  EXPECT_TRUE(has(head, "RAY_ENABLE_K8S_TOKEN_AUTH"));
  EXPECT_TRUE(has(head, "serviceAccountToken"));
  EXPECT_FALSE(has(head, "secretKeyRef"));
}

TEST(ALabel, of_a_ray_pod_gives_way_unless_it_selects) {
  Json cluster = object_of(small_cluster);
  cluster["spec"]["headGroupSpec"]["template"]["metadata"]["labels"] = {
      {"app.kubernetes.io/name", "mine"}, {"ray.io/cluster", "mine"}};
  const Expansion got = expansion_of(cluster);
  EXPECT_EQ(labels_of(got, "app.kubernetes.io/name").at(0), "mine");
  EXPECT_EQ(labels_of(got, "ray.io/cluster").at(0), "rc");
}

TEST(ACommand, of_the_user_runs_before_ray) {
  Json cluster = object_of(small_cluster);
  Json& container = cluster["spec"]["headGroupSpec"]["template"]["spec"]["containers"][0];
  container["command"] = Json::array({"echo", "hi"});
  EXPECT_TRUE(command_of(expansion_of(cluster).pods.at(0))
                  .starts_with(" echo  hi  && ulimit -n 65536; ray start --head "));
  container["args"] = Json::array({"; ray start --head"});
  EXPECT_EQ(command_of(expansion_of(cluster).pods.at(0)), "; ray start --head");
}

TEST(ACommand, of_the_user_is_kept_on_request) {
  Json cluster = object_of(small_cluster);
  cluster["metadata"]["annotations"]["ray.io/overwrite-container-cmd"] = "true";
  EXPECT_FALSE(first_container(expansion_of(cluster).pods.at(0)).contains("command"));
}

TEST(ResourcesOfAContainer, are_parameters_of_ray) {
  Json cluster = object_of(small_cluster);
  Json& worker = cluster["spec"]["workerGroupSpecs"][0];
  worker["template"]["spec"]["containers"][0]["resources"] = Json::parse(
      R"({"limits": {"cpu": "2500m", "memory": "1Gi", "google.com/tpu": 4, "nvidia.com/gpu": "1"},
          "requests": {"cpu": 1}})");
  const std::string command = command_of(expansion_of(cluster).pods.at(1));
  for (const char* want :
       {" --num-cpus=3 ", " --memory=1073741824 ", " --num-gpus=1 ", " --resources='{\"TPU\":4}' "})
    EXPECT_NE(command.find(want), std::string::npos) << want << " in " << command;
  worker["rayStartParams"] = {{"num-cpus", "7"}, {"resources", "'{\"TPU\": 8, \"a\": 0.5}'"}};
  const std::string given = command_of(expansion_of(cluster).pods.at(1));
  EXPECT_NE(given.find(" --num-cpus=7 "), std::string::npos) << given;
  EXPECT_NE(given.find(" --resources='{\"TPU\": 8, \"a\": 0.5}' "), std::string::npos) << given;
}

TEST(ResourcesOfAGroup, come_before_those_of_its_containers) {
  Json cluster = object_of(small_cluster);
  cluster["spec"]["workerGroupSpecs"][0]["resources"] = {{"CPU", "5"}, {"custom", "1500m"}};
  cluster["spec"]["workerGroupSpecs"][0]["labels"] = {{"zone", "b"}, {"a", "c"}};
  const Expansion got = expansion_of(cluster);
  const std::string command = command_of(got.pods.at(1));
  for (const char* want :
       {" --num-cpus=5 ", " --resources='{\"custom\":1.5}' ", " --labels=a=c,zone=b "})
    EXPECT_NE(command.find(want), std::string::npos) << want << " in " << command;
  EXPECT_EQ(labels_of(got, "zone").at(1), "b");
}

TEST(ALongName, of_a_ray_cluster_loses_its_end) {
  Json cluster = object_of(small_cluster);
  cluster["metadata"]["name"] = std::string(53, 'a');
  const Expansion got = expansion_of(cluster);
  EXPECT_EQ(names_of(got).at(0), std::string(50, 'a') + "-head-");
  EXPECT_EQ(labels_of(got, "ray.io/identifier").at(1), std::string(53, 'a') + "-worker");
}

TEST(AnAutoscaler, stands_beside_the_head) {
  Json cluster = object_of(small_cluster);
  cluster["spec"]["enableInTreeAutoscaling"] = true;
  cluster["spec"]["autoscalerOptions"] = {{"version", "v2"}, {"image", "mine"}};
  const Expansion got = expansion_of(cluster);
  const Json& spec = got.pods.at(0)["spec"];
  EXPECT_EQ(spec["containers"][1]["name"], "autoscaler");
  EXPECT_EQ(spec["containers"][1]["image"], "mine");
  EXPECT_EQ(spec["serviceAccountName"], "rc");
  EXPECT_EQ(spec["volumes"].size(), 2u);
  EXPECT_NE(command_of(got.pods.at(0)).find(" --no-monitor "), std::string::npos);
  EXPECT_EQ(got.pods.at(1)["spec"]["restartPolicy"], "Never");
}

TEST(FaultTolerance, stores_under_the_uid) {
  Json cluster = object_of(small_cluster);
  cluster["spec"]["gcsFaultToleranceOptions"] = {{"redisAddress", "redis:6379"},
                                                 {"redisPassword", {{"value", "x"}}}};
  const Expansion got = expansion_of(cluster);
  const Json& metadata = got.pods.at(0)["metadata"];
  EXPECT_EQ(metadata["annotations"]["ray.io/ft-enabled"], "true");
  EXPECT_EQ(metadata["annotations"]["ray.io/external-storage-namespace"],
            metadata["ownerReferences"][0]["uid"]);
  EXPECT_EQ(variable(got, "RAY_REDIS_ADDRESS").at(0), "redis:6379");
  EXPECT_EQ(variable(got, "RAY_gcs_rpc_server_reconnect_timeout_s").at(1), "600");
}

TEST(AToken, is_read_by_all_containers_of_ray) {
  Json cluster = object_of(small_cluster);
  cluster["spec"]["authOptions"]["mode"] = "token";
  const Expansion got = expansion_of(cluster);
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
  const Json& probe = first_container(got.pods.at(1))["readinessProbe"];
  EXPECT_EQ(probe["failureThreshold"], 1);
}

TEST(ARayJob, is_submitted_by_a_pod) {
  Json job = made_by("RayJob", "rayClusterSpec");
  job["spec"]["entrypoint"] = "python x.py ";
  job["spec"]["jobId"] = "run";
  job["spec"]["runtimeEnvYAML"] = "pip: [b]\nenv_vars: {a: \"1\"}\n";
  job["spec"]["entrypointNumCpus"] = 0.5;
  const Expansion got = expansion_of(job);
  ASSERT_EQ(got.pods.size(), 6u) << got.error;
  const std::string command = command_of(got.pods.back());
  EXPECT_NE(command.find(R"(--no-wait --runtime-env-json "{\"env_vars\":{\"a\":\"1\"},)"
                         R"(\"pip\":[\"b\"]}" --submission-id run )"
                         "--entrypoint-num-cpus 0.500000 -- python x.py ; fi ;"),
            std::string::npos)
      << command;
}

TEST(ARayJob, may_be_submitted_beside_the_head) {
  Json job = made_by("RayJob", "rayClusterSpec");
  job["spec"]["submissionMode"] = "SidecarMode";
  const Expansion got = expansion_of(job);
  EXPECT_EQ(got.pods.size(), 5u);
  EXPECT_EQ(pod_count(job), 5u);
  EXPECT_EQ(got.pods.at(0)["spec"]["containers"][1]["name"], "ray-job-submitter");
  EXPECT_EQ(got.pods.at(0)["spec"]["restartPolicy"], "Never");
}

TEST(ARayJob, may_be_submitted_by_the_operator) {
  Json job = made_by("RayJob", "rayClusterSpec");
  job["spec"]["submissionMode"] = "HTTPMode";
  EXPECT_EQ(expansion_of(job).pods.size(), 5u);
  EXPECT_EQ(pod_count(job), 5u);
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
