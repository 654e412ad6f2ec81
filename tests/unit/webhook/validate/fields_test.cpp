// Every member of every workload object that /validate reads: what stands there once is read beside
// all the others, what stands there twice or is of another type is refused with its path.
#include "tests/support/json_text.hpp"
#include "tests/support/named_case.hpp"
#include "tests/support/validated.hpp"
#include "webhook/answer/workspace.hpp"
#include "webhook/config/config.hpp"
#include "webhook/read/body.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::webhook::validate {
namespace {

using namespace test;
using test::PrintTo;

struct Full {
  const char* name;
  json object;
};

// Read as whatever it is, or by the API server alone.
bool is_any_type(const std::string& pointer) {
  return std::ranges::any_of(std::array{"/apiVersion", "/kind", "/coordinator", "/replicatedJob",
                                        "/jobIndex", "/podIndex", "/dependsOn"},
                             [&](std::string_view end) {
                               return pointer.ends_with(end) &&
                                      pointer.find("/ownerReferences/") == std::string::npos;
                             });
}

// Of what is read for a fault of its own, the last one counts, as it does for the API server.
bool may_stand_twice(const std::string& pointer) {
  return pointer.ends_with("/object/apiVersion") || pointer.ends_with("/object/kind") ||
         pointer.ends_with("/restartPolicy") ||
         std::ranges::any_of(
             std::array{"/selector/", "/rules/", "/coordinator/"},
             [&](std::string_view part) { return pointer.find(part) != std::string::npos; });
}

json metadata() {
  return {{"name", "all"},
          {"generateName", "al"},
          {"labels", {{"kueue.x-k8s.io/queue-name", ""}}},
          {"annotations", {{"kueue.x-k8s.io/job-min-parallelism", "4"}}},
          {"ownerReferences", json::array({{{"kind", "Deployment"}, {"controller", false}}})}};
}

json in_subdomain() {
  json pod = a_template("4x4", 4);
  pod["spec"]["subdomain"] = "all";
  pod["spec"]["restartPolicy"] = "Never";
  return pod;
}

json job_spec() {
  const json own{{"batch.kubernetes.io/job-name", "all"}};
  return {{"completions", 4},
          {"parallelism", 4},
          {"completionMode", "Indexed"},
          {"template", in_subdomain()},
          {"selector",
           {{"matchLabels", own},
            {"matchExpressions",
             json::array({{{"key", "batch.kubernetes.io/job-name"}, {"operator", "Exists"}}})}}},
          {"manualSelector", false},
          {"podFailurePolicy",
           {{"rules", json::array({{{"onExitCodes", {{"containerName", "c"}}}}})}}}};
}

json cron_job_spec() {
  json job = job_spec();
  job.erase("selector");
  return {{"jobTemplate", {{"spec", std::move(job)}}}};
}

json of(const char* api_version, const char* kind, const json& spec) {
  return {{"apiVersion", api_version}, {"kind", kind}, {"metadata", metadata()}, {"spec", spec}};
}

json jobset() {
  json job = job_spec();
  job["template"]["spec"].erase("subdomain");
  job["selector"].erase("matchLabels");
  const auto replicated = [&](const char* name, const json& after) {
    return json{
        {"name", name}, {"replicas", 2}, {"template", {{"spec", job}}}, {"dependsOn", after}};
  };
  return of(
      "jobset.x-k8s.io/v1alpha2", "JobSet",
      {{"network",
        {{"enableDNSHostnames", true}, {"subdomain", "all"}, {"publishNotReadyAddresses", true}}},
       {"replicatedJobs", json::array({replicated("a", nullptr), replicated("b", nullptr)})},
       {"coordinator", {{"replicatedJob", "a"}, {"jobIndex", 0}, {"podIndex", 0}}},
       {"startupPolicy", {{"startupPolicyOrder", "AnyOrder"}}}});
}

json ray_cluster_spec() {
  const json head{{"template", {{"spec", {{"containers", json::array({{{"name", "h"}}})}}}}}};
  const json group{{"groupName", "g"}, {"template", a_template("4x4", 4)},
                   {"numOfHosts", 4},  {"replicas", 1},
                   {"minReplicas", 0}, {"maxReplicas", 2},
                   {"suspend", false}};
  return {{"headGroupSpec", head},
          {"workerGroupSpecs", json::array({group})},
          {"enableInTreeAutoscaling", true}};
}

const Full objects[] = {
    {"Job", of("batch/v1", "Job", job_spec())},
    {"CronJob", of("batch/v1", "CronJob", cron_job_spec())},
    {"JobSet", jobset()},
    {"LeaderWorkerSet",
     of("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
        {{"replicas", 1},
         {"startupPolicy", "LeaderCreated"},
         {"networkConfig", {{"subdomainPolicy", "Shared"}}},
         {"leaderWorkerTemplate",
          {{"size", 4},
           {"leaderTemplate", a_template("2x4", 4)},
           {"workerTemplate", a_template("2x4", 4)},
           {"subGroupPolicy", {{"subGroupSize", 2}, {"subGroupPolicyType", "LeaderWorker"}}}}}})},
    {"StatefulSet", of("apps/v1", "StatefulSet",
                       {{"replicas", 4},
                        {"serviceName", "all"},
                        {"template", a_template("4x4", 4)},
                        {"podManagementPolicy", "Parallel"}})},
    {"Deployment",
     of("apps/v1", "Deployment", {{"replicas", 4}, {"template", a_template("2x2", 4)}})},
    {"RayCluster", of("ray.io/v1", "RayCluster", ray_cluster_spec())},
    {"RayJob", of("ray.io/v1", "RayJob", {{"rayClusterSpec", ray_cluster_spec()}})},
    {"RayService", of("ray.io/v1", "RayService", {{"rayClusterConfig", ray_cluster_spec()}})},
};

class Fields : public testing::TestWithParam<Full> {};

struct Refusal {
  unsigned status = 0;
  std::string message;
};

Refusal answer_to(std::string text) {
  static answer::Workspace workspace;
  const read::NoCluster cluster;
  const answer::Answer answer = validate(read::Body(text), config::Config(), cluster, workspace);
  const json body = json::parse(answer.body);
  return {answer.http_status,
          answer.http_status == 200 ? body["response"].dump() : body["message"].get<std::string>()};
}

TEST_P(Fields, stand_beside_each_other) {
  const auto answer = validated(GetParam().object);
  EXPECT_TRUE(answer.allowed) << answer.status << ": " << answer.message;
}

std::vector<std::string> members_of(const json& review) {
  std::vector<std::string> out;
  for (const std::string& pointer : pointers_of(review))
    if (pointer.starts_with("/request/object/") &&
        review[json::json_pointer(pointer).parent_pointer()].is_object())
      out.push_back(pointer);
  return out;
}

TEST_P(Fields, that_stand_twice_are_named) {
  const json review = review_of_object(GetParam().object);
  for (const std::string& pointer : members_of(review)) {
    if (may_stand_twice(pointer)) continue;
    const Refusal refusal = answer_to(with_twice(review, pointer, false));
    EXPECT_EQ(refusal.status, 400u) << pointer << ": " << refusal.message;
    EXPECT_EQ(refusal.message, path_of(pointer) + ": duplicate key");
  }
}

TEST_P(Fields, of_another_type_are_named) {
  const json review = review_of_object(GetParam().object);
  for (const std::string& pointer : members_of(review)) {
    if (is_any_type(pointer)) continue;
    json changed = review;
    json& value = changed[json::json_pointer(pointer)];
    value = value.is_array() ? json("text") : json::array();
    const Refusal refusal = answer_to(changed.dump());
    EXPECT_EQ(refusal.status, 400u) << pointer << ": " << refusal.message;
    EXPECT_TRUE(refusal.message.starts_with(path_of(pointer) + ": ")) << refusal.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Objects, Fields, testing::ValuesIn(objects), case_name);

}  // namespace
}  // namespace tpuwh::webhook::validate
