// What controllers make of an object on the way to its Pods. tests/e2e/test_dry_run.py compares
// with what the real ones make.
#include "kubectl/predict/expand/children.hpp"

#include "tests/unit/kubectl/predict/expand/expanded.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace tpuwh::server::expand {
namespace {

constexpr const char* pods = "{spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}";

Children children_of_yaml(const std::string& yaml) {
  const auto made = children_of(object_of(yaml), {.ns = "ml"});
  EXPECT_TRUE(made) << made.error().text();
  return made ? *made : Children();
}

// "Job/js-slice-0 x2 of JobSet/js"
Texts told(const Children& children) {
  Texts out;
  for (const Child& each : children.list) {
    const Json& metadata = each.object["metadata"];
    const Json& owner = metadata["ownerReferences"][0];
    EXPECT_EQ(metadata["namespace"], "ml");
    out.push_back(fmt::format("{}/{}{} of {}/{}", each.object["kind"].get<std::string>(),
                              metadata["name"].get<std::string>(),
                              each.count == 1 ? "" : fmt::format(" x{}", each.count),
                              owner["kind"].get<std::string>(), owner["name"].get<std::string>()));
  }
  return out;
}

std::string jobset(const std::string& more = "") {
  return fmt::format(R"(
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: js}}
spec:
  suspend: true
  {}
  replicatedJobs:
  - name: driver
    template: {{spec: {{template: {}}}}}
  - name: slice
    replicas: 2
    template:
      metadata: {{labels: {{team: a}}, annotations: {{note: b}}}}
      spec: {{parallelism: 4, completions: 4, backoffLimit: 0, template: {}}}
)",
                     more, pods, pods);
}

TEST(Children, of_a_jobset_are_its_service_and_a_job_of_each_replicated_job) {
  const Children made = children_of_yaml(jobset());
  EXPECT_EQ(told(made), (Texts{"Service/js of JobSet/js", "Job/js-driver-0 of JobSet/js",
                               "Job/js-slice-0 x2 of JobSet/js"}));
  EXPECT_TRUE(made.list[0].may_exist);
  const Json& job = made.list[2].object;
  EXPECT_EQ(job["metadata"]["labels"]["team"], "a");
  EXPECT_EQ(job["metadata"]["annotations"]["note"], "b");
  EXPECT_EQ(job["metadata"]["labels"]["jobset.sigs.k8s.io/job-global-index"], "1");
  EXPECT_EQ(job["metadata"]["annotations"]["jobset.sigs.k8s.io/replicatedjob-name"], "slice");
  EXPECT_EQ(job["spec"]["parallelism"], 4);
  EXPECT_EQ(job["spec"]["completionMode"], "Indexed");
  EXPECT_EQ(job["spec"]["suspend"], true);
  const Json& pod = job["spec"]["template"];
  EXPECT_EQ(pod["spec"]["subdomain"], "js");
  EXPECT_EQ(pod["metadata"]["labels"]["jobset.sigs.k8s.io/job-index"], "0");
  EXPECT_FALSE(pod["metadata"]["labels"].contains("jobset.sigs.k8s.io/priority"));
}

TEST(Children, of_a_jobset_without_host_names_have_no_service) {
  EXPECT_EQ(told(children_of_yaml(jobset("network: {enableDNSHostnames: false}"))).front(),
            "Job/js-driver-0 of JobSet/js");
  const Children made =
      children_of_yaml(jobset("network: {subdomain: sub, publishNotReadyAddresses: false}"));
  EXPECT_EQ(told(made).front(), "Service/sub of JobSet/js");
  EXPECT_EQ(made.list[0].object["spec"],
            Json::parse(R"({"clusterIP": "None", "publishNotReadyAddresses": false,
                            "selector": {"jobset.sigs.k8s.io/jobset-name": "js"}})"));
  EXPECT_EQ(children_of_yaml(jobset("volumeClaimPolicies: [{templates: []}]")).others,
            Texts{"PersistentVolumeClaim"});
}

std::string lws(int replicas, int size, const std::string& more = "") {
  return fmt::format(R"(
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: m}}
spec:
  replicas: {}
  {}
  leaderWorkerTemplate:
    size: {}
    workerTemplate: {}
)",
                     replicas, more, size, pods);
}

TEST(Children, of_a_leaderworkerset_are_two_kinds_of_statefulsets) {
  const Children made = children_of_yaml(lws(3, 4));
  EXPECT_EQ(told(made),
            (Texts{"Service/m of LeaderWorkerSet/m", "StatefulSet/m of LeaderWorkerSet/m",
                   "StatefulSet/m-0 x3 of Pod/m-0"}));
  const Json& leaders = made.list[1].object;
  EXPECT_EQ(leaders["spec"]["replicas"], 3);
  EXPECT_EQ(
      leaders["spec"]["template"]["metadata"]["labels"]["leaderworkerset.sigs.k8s.io/worker-index"],
      "0");
  const Json& workers = made.list[2].object;
  EXPECT_EQ(workers["spec"]["replicas"], 3);
  EXPECT_EQ(workers["spec"]["ordinals"]["start"], 1);
  EXPECT_EQ(workers["spec"]["serviceName"], "m");
  for (const Json* set : {&leaders, &workers})  // the API server refuses another selector
    for (const auto& [key, value] : (*set)["spec"]["selector"]["matchLabels"].items())
      EXPECT_EQ((*set)["spec"]["template"]["metadata"]["labels"][key], value) << key;
  EXPECT_EQ(made.others, Texts{"ControllerRevision"});
}

TEST(Children, of_a_leaderworkerset_follow_its_size_and_subdomains) {
  EXPECT_EQ(told(children_of_yaml(lws(2, 1))),
            (Texts{"Service/m of LeaderWorkerSet/m", "StatefulSet/m of LeaderWorkerSet/m"}));
  EXPECT_EQ(told(children_of_yaml(lws(0, 4))),
            (Texts{"Service/m of LeaderWorkerSet/m", "StatefulSet/m of LeaderWorkerSet/m"}));
  EXPECT_EQ(told(children_of_yaml(lws(2, 2, "networkConfig: {subdomainPolicy: UniquePerReplica}"))),
            (Texts{"StatefulSet/m of LeaderWorkerSet/m", "Service/m-0 x2 of Pod/m-0",
                   "StatefulSet/m-0 x2 of Pod/m-0"}));
}

// A RayCluster's spec, for RayJob and RayService as well.
std::string ray_spec(int hosts, const std::string& head = "") {
  return fmt::format(
      "{{headGroupSpec: {{{} template: {}}}, workerGroupSpecs: [{{groupName: g, replicas: 1, "
      "numOfHosts: {}, template: {}}}]}}",
      head, pods, hosts, pods);
}

std::string ray(const std::string& kind, const std::string& spec, const std::string& meta = "") {
  return fmt::format("{{apiVersion: ray.io/v1, kind: {}, metadata: {{name: r{}}}, spec: {}}}", kind,
                     meta, spec);
}

TEST(Children, of_a_raycluster_are_services) {
  const Children one = children_of_yaml(ray("RayCluster", ray_spec(1)));
  EXPECT_EQ(told(one), Texts{"Service/r-head-svc of RayCluster/r"});
  const Json& head = one.list[0].object;
  EXPECT_EQ(head["spec"]["clusterIP"], "None");
  EXPECT_EQ(head["spec"]["ports"].size(), 5U);
  EXPECT_EQ(head["spec"]["selector"], head["metadata"]["labels"]);
  EXPECT_EQ(told(children_of_yaml(ray("RayCluster", ray_spec(2)))).back(),
            "Service/r-headless of RayCluster/r");
  EXPECT_EQ(told(children_of_yaml(ray("RayCluster", ray_spec(1),
                                      ", annotations: {ray.io/enable-serve-service: 'true'}")))
                .back(),
            "Service/r-serve-svc of RayCluster/r");
}

TEST(Children, of_a_raycluster_have_the_service_that_the_user_describes) {
  const Json head =
      children_of_yaml(
          ray("RayCluster", ray_spec(1,
                                     "serviceType: NodePort, headService: {metadata: {name: own}, "
                                     "spec: {ports: [{name: x, port: 1}]}},")))
          .list[0]
          .object;
  EXPECT_EQ(head["metadata"]["name"], "own");
  EXPECT_EQ(head["spec"]["type"], "NodePort");
  EXPECT_EQ(head["spec"]["ports"].size(), 6U);
  EXPECT_FALSE(head["spec"].contains("clusterIP"));
}

TEST(Children, of_a_rayjob_and_a_rayservice_have_a_raycluster) {
  const Children job = children_of_yaml(
      ray("RayJob", fmt::format("{{entrypoint: e, rayClusterSpec: {}}}", ray_spec(2))));
  const auto name = job.list[0].object["metadata"]["name"].get<std::string>();
  EXPECT_EQ(told(job),
            (Texts{"RayCluster/" + name + " of RayJob/r",
                   "Service/" + name + "-head-svc of RayCluster/" + name,
                   "Service/" + name + "-headless of RayCluster/" + name, "Job/r of RayJob/r"}));
  EXPECT_EQ(job.list[0].object["metadata"]["labels"]["ray.io/originated-from-crd"], "RayJob");
  EXPECT_EQ(job.list[3].object["spec"]["backoffLimit"], 2);
  const Children service =
      children_of_yaml(ray("RayService", fmt::format("{{rayClusterConfig: {}}}", ray_spec(1))));
  ASSERT_EQ(service.list.size(), 4U);
  EXPECT_EQ(told(service)[2], "Service/r-head-svc of RayService/r");
  EXPECT_EQ(told(service)[3], "Service/r-serve-svc of RayService/r");
  EXPECT_EQ(service.list[3].object["spec"]["ports"],
            Json::parse(R"([{"name": "serve", "port": 8000}])"));
}

TEST(Children, of_a_rayjob_follow_how_it_submits) {
  EXPECT_EQ(told(children_of_yaml(
                ray("RayJob", "{entrypoint: e, clusterSelector: {ray.io/cluster: there}}"))),
            Texts{"Job/r of RayJob/r"});
  const Children beside = children_of_yaml(ray(
      "RayJob", fmt::format("{{submissionMode: SidecarMode, rayClusterSpec: {}}}", ray_spec(1))));
  ASSERT_EQ(beside.list.size(), 2U);
  EXPECT_EQ(beside.list[0].object["spec"]["headGroupSpec"]["template"]["spec"]["containers"].size(),
            2U);
}

TEST(Children, of_a_deployment_and_a_cronjob_are_one_each) {
  const Children deployment = children_of_yaml(
      fmt::format("{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: d, annotations: {{a: "
                  "b}}}}, spec: {{replicas: 2, selector: {{matchLabels: {{x: z}}}}, template: "
                  "{{metadata: {{labels: {{x: z}}}}, spec: {{containers: [{{name: c}}]}}}}}}}}"));
  ASSERT_EQ(deployment.list.size(), 1U);
  const Json& set = deployment.list[0].object;
  EXPECT_EQ(set["spec"]["replicas"], 2);
  EXPECT_EQ(set["metadata"]["annotations"]["a"], "b");
  EXPECT_EQ(set["spec"]["selector"]["matchLabels"], set["spec"]["template"]["metadata"]["labels"]);
  EXPECT_EQ(set["metadata"]["labels"], set["spec"]["template"]["metadata"]["labels"]);
  EXPECT_EQ(set["metadata"]["labels"].size(), 2U);
  const Children cron = children_of_yaml(
      fmt::format("{{apiVersion: batch/v1, kind: CronJob, metadata: {{name: c}}, spec: "
                  "{{jobTemplate: {{metadata: {{labels: {{a: b}}}}, spec: {{template: {}}}}}}}}}",
                  pods));
  ASSERT_EQ(cron.list.size(), 1U);
  EXPECT_EQ(cron.list[0].object["metadata"]["labels"]["a"], "b");
  EXPECT_EQ(cron.list[0].object["metadata"]["ownerReferences"][0]["kind"], "CronJob");
}

TEST(Children, of_what_makes_pods_by_itself_are_none) {
  for (const char* kind : {"Job", "StatefulSet", "ReplicaSet"}) {
    const Children made = children_of_yaml(
        fmt::format("{{apiVersion: {}, kind: {}, metadata: {{name: x}}, spec: "
                    "{{volumeClaimTemplates: [{{metadata: {{name: v}}}}], template: {}}}}}",
                    kind == std::string("Job") ? "batch/v1" : "apps/v1", kind, pods));
    EXPECT_TRUE(made.list.empty()) << kind;
    EXPECT_EQ(made.others.size(), kind == std::string("StatefulSet") ? 2U : 0U);
  }
  EXPECT_TRUE(children_of_yaml("{kind: ConfigMap, apiVersion: v1}").list.empty());
}

TEST(Children, of_what_is_wrong_are_none) {
  const auto made = children_of(
      object_of(
          "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: x}, spec: {}}"),
      {});
  ASSERT_FALSE(made);
  EXPECT_EQ(std::string(made.error().text()), "spec.replicatedJobs: is missing");
}

}  // namespace
}  // namespace tpuwh::server::expand
