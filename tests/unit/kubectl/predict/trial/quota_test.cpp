// What ResourceQuotas hold of all that a manifest makes.
#include "kubectl/predict/trial/quota.hpp"

#include "kubectl/predict/trial/scopes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::trial {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Json pod(const std::string& spec = "{}") {
  Json out = Json::parse(R"({"spec": {"containers": [{"name": "main", "resources": {"limits":
    {"google.com/tpu": "4", "cpu": "500m"}}}]}})");
  out["spec"].update(Json::parse(spec));
  return out;
}

std::vector<Demand> pods(std::uint64_t count, const Json& each = pod(), bool counted = true) {
  return {{.kind = "Pod",
           .object = each,
           .each = amounts_of_pod(each),
           .count = count,
           .counted = counted}};
}

Json quota_of(const std::string& hard, const std::string& more = "{}") {
  Json out = Json::parse(R"({"metadata": {"name": "compute"}, "spec": {}})");
  out["spec"]["hard"] = Json::parse(hard);
  out["spec"].update(Json::parse(more));
  return out;
}

std::vector<Exceeded> exceeded_of(const Json& one, const std::vector<Demand>& demands) {
  return exceeded(std::vector<Json>{one}, demands);
}

TEST(Quota, counts_pods_and_what_they_ask_for) {
  EXPECT_THAT(exceeded_of(quota_of(R"({"pods": "3"})"), pods(4)), SizeIs(1));
  EXPECT_THAT(exceeded_of(quota_of(R"({"count/pods": "4"})"), pods(4)), IsEmpty());
  EXPECT_THAT(exceeded_of(quota_of(R"({"cpu": "1900m"})"), pods(4)), SizeIs(1));
  EXPECT_THAT(exceeded_of(quota_of(R"({"limits.cpu": "2"})"), pods(4)), IsEmpty());
  EXPECT_THAT(exceeded_of(quota_of(R"({"persistentvolumeclaims": "0"})"), pods(4)), IsEmpty());
  const auto chips = exceeded_of(quota_of(R"({"requests.google.com/tpu": "15"})"), pods(4));
  ASSERT_THAT(chips, SizeIs(1));
  EXPECT_EQ(chips[0].what, "all 4 Pods");
  EXPECT_EQ(chips[0].sentence,
            "ResourceQuota compute: the Pods ask together for 16 of requests.google.com/tpu, and 0 "
            "of 15 are used");
}

TEST(Quota, says_nothing_of_one_pod_that_the_api_server_has_counted) {
  const Json small = quota_of(R"({"requests.google.com/tpu": "1"})");
  EXPECT_THAT(exceeded_of(small, pods(1)), IsEmpty());
  const auto unasked = exceeded_of(small, pods(1, pod(), false));
  ASSERT_THAT(unasked, SizeIs(1));
  EXPECT_EQ(unasked[0].what, "the Pod");
  EXPECT_THAT(unasked[0].sentence, HasSubstr("the Pod asks for 4 of"));
}

TEST(Quota, takes_what_a_pod_takes_at_most) {
  const Json begins = pod(R"({"initContainers": [
    {"name": "beside", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}},
    {"name": "large", "resources": {"requests": {"cpu": "3"}}}],
    "overhead": {"cpu": "250m"}})");
  const Amounts amounts = amounts_of_pod(begins);
  EXPECT_DOUBLE_EQ(amounts.at("requests.cpu"), 4.25);  // 1 + 3, more than 0.5 + 1
  EXPECT_DOUBLE_EQ(amounts.at("limits.cpu"), 0.75);
  EXPECT_DOUBLE_EQ(amounts.at("requests.google.com/tpu"), 4);
  EXPECT_FALSE(amounts.contains("limits.google.com/tpu"));
  const Amounts whole = amounts_of_pod(pod(R"({"resources": {"requests": {"cpu": "8"}}})"));
  EXPECT_DOUBLE_EQ(whole.at("requests.cpu"), 8);
}

Amounts of_service(const std::string& spec) {
  return amounts_of_object({{"spec", Json::parse(spec)}}, {"", "v1", "services", "ml"});
}

TEST(Quota, counts_objects_by_their_resource) {
  const Amounts job = amounts_of_object(Json::object(), {"batch", "v1", "jobs", "ml"});
  EXPECT_EQ(job, (Amounts{{"count/jobs.batch", 1}}));
  EXPECT_EQ(of_service("{}"), (Amounts{{"count/services", 1}, {"services", 1}}));
  EXPECT_EQ(of_service(R"({"type": "LoadBalancer", "ports": [{"port": 1}, {"port": 2}]})"),
            (Amounts{{"count/services", 1},
                     {"services", 1},
                     {"services.loadbalancers", 1},
                     {"services.nodeports", 2}}));
  EXPECT_FALSE(of_service(R"({"type": "LoadBalancer", "allocateLoadBalancerNodePorts": false,
                              "ports": [{"port": 1}]})")
                   .contains("services.nodeports"));
}

std::string classes(const std::string& how, const std::string& values) {
  return R"({"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": ")" +
         how + R"(", "values": )" + values + "}]}}";
}

const std::string high = R"({"priorityClassName": "high"})";
const std::string no_cpu =
    R"({"containers": [{"resources": {"limits": {"google.com/tpu": "4"}}}]})";

TEST(Scopes, are_those_of_a_pod) {
  const struct {
    std::string scopes, spec;
    bool want;
  } cases[] = {
      {"{}", "{}", true},
      {R"({"scopes": ["Terminating"]})", R"({"activeDeadlineSeconds": 9})", true},
      {R"({"scopes": ["Terminating"]})", "{}", false},
      {R"({"scopes": ["NotTerminating"]})", "{}", true},
      {R"({"scopes": ["BestEffort"]})", no_cpu, true},
      {R"({"scopes": ["BestEffort"]})", "{}", false},
      {R"({"scopes": ["NotBestEffort"]})", "{}", true},
      {R"({"scopes": ["NotBestEffort", "Terminating"]})", "{}", false},
      {classes("In", R"(["high"])"), high, true},
      {classes("In", R"(["low"])"), high, false},
      {classes("In", R"(["low"])"), "{}", false},
      {classes("NotIn", R"(["low"])"), high, true},
      {classes("NotIn", R"(["low"])"), "{}", true},
      {R"({"scopes": ["PriorityClass"]})", high, true},
      {classes("Exists", "[]"), "{}", false},
      {classes("DoesNotExist", "[]"), "{}", true},
  };
  for (const auto& given : cases) {
    SCOPED_TRACE(given.scopes);
    Json each = pod(given.spec);
    const Json scoped = quota_of(R"({"pods": "1"})", given.scopes);
    EXPECT_EQ(counts_pod(scoped, each), given.want);
    EXPECT_EQ(exceeded_of(scoped, pods(2, each)).size(), given.want ? 1U : 0U);
  }
}

TEST(Quota, says_which_pods_its_scopes_are_of) {
  std::vector<Demand> demands = pods(2, pod(high));
  demands.push_back(pods(3).front());
  const auto told =
      exceeded_of(quota_of(R"({"pods": "1"})", classes("In", R"(["high", "top"])")), demands);
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].what, "all 5 Pods");
  EXPECT_EQ(told[0].sentence,
            "ResourceQuota compute, which counts 2 of these 5 Pods (PriorityClass In high, top): "
            "the Pods ask together for 2 of pods, and 0 of 1 are used");
}

TEST(Quota, with_a_scope_that_is_not_looked_at_says_nothing) {
  const Json across = quota_of(R"({"pods": "0"})", R"({"scopes": ["CrossNamespacePodAffinity"]})");
  EXPECT_EQ(counts_pod(across, pod()), std::nullopt);
  EXPECT_THAT(exceeded_of(across, pods(2)), IsEmpty());
}

TEST(Quota, with_scopes_counts_no_other_objects) {
  const std::vector<Demand> jobs = {
      {.kind = "Job", .object = {}, .each = {{"count/jobs.batch", 1}}, .count = 2}};
  EXPECT_THAT(exceeded_of(quota_of(R"({"count/jobs.batch": "1"})"), jobs), SizeIs(1));
  EXPECT_THAT(
      exceeded_of(quota_of(R"({"count/jobs.batch": "1"})", R"({"scopes": ["BestEffort"]})"), jobs),
      IsEmpty());
}

}  // namespace
}  // namespace tpuwh::server::trial
