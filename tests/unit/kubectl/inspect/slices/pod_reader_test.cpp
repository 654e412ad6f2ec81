// Tests how single Pods are read. tests/golden/slices/outcomes.txt tests the Pods of whole
// clusters, for each workload API.
#include "kubectl/inspect/slices/pod_reader.hpp"

#include "kubectl/text/rfc3339.hpp"
#include "tests/support/pod_builder.hpp"
#include "tests/unit/kubectl/inspect/slices/a_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpuwh::server::slices {
namespace {

using test::a_pod;
using test::PodBuilder;

SeenPod read(const PodBuilder& builder) {
  const webhook::config::Config config;
  const webhook::read::NoCluster cluster;
  auto pod = builder.pod();
  pod["metadata"]["namespace"] = "ml";
  auto seen = PodReader(config, cluster).read(pod);
  EXPECT_TRUE(seen && *seen) << (seen ? "no TPU" : seen.error().text());
  return seen && *seen ? **seen : SeenPod();
}

PodBuilder job_member() {
  return a_pod().job("train", 1).topology("2x4").tpu(4);
}

TEST(PodReader, says_what_has_become_of_a_pod) {
  const auto moment = [](const char* text) { return *text::parse_time(text); };
  const auto status = nlohmann::json::parse(R"({
    "phase": "Failed", "reason": "Evicted", "message": "low on memory",
    "conditions": [{"type": "Ready", "lastTransitionTime": "2026-03-03T08:02:00Z"}],
    "containerStatuses": [{"name": "main", "state": {"terminated": {"exitCode": 9,
                           "finishedAt": "2026-03-03T08:01:00Z"}}}]})");
  PodBuilder builder = job_member();
  const auto pod = read(builder.set("/metadata/creationTimestamp", "2026-03-03T08:00:00Z")
                            .set("/spec/restartPolicy", "Never")
                            .set("/status", status));
  EXPECT_EQ(pod.life, Life::failed);
  EXPECT_EQ(pod.created, moment("2026-03-03T08:00:00Z"));
  EXPECT_EQ(pod.failed, moment("2026-03-03T08:02:00Z"));
  EXPECT_EQ(pod.failure, "Evicted: low on memory");
  EXPECT_TRUE(pod.beside.empty());
}

TEST(EndedContainer, has_its_code_where_it_is_not_started_again) {
  const struct {
    const char* policy;
    int code;
    std::optional<int> want;
  } cases[] = {
      {"Never", 0, 0},      {"Never", 1, 1},   {"OnFailure", 0, 0},
      {"OnFailure", 1, {}}, {"Always", 0, {}}, {"Always", 1, {}},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.policy);
    PodBuilder builder = job_member();
    const std::string name = builder.pod()["spec"]["containers"][0]["name"];
    const auto status =
        nlohmann::json{{"phase", "Running"},
                       {"containerStatuses",
                        {{{"name", name}, {"state", {{"terminated", {{"exitCode", each.code}}}}}},
                         {{"name", "logs"}, {"state", {{"running", nlohmann::json::object()}}}}}}};
    const auto pod = read(builder.set("/spec/restartPolicy", each.policy).set("/status", status));
    EXPECT_EQ(pod.processes.at(0).exit_code, each.want);
    EXPECT_EQ(pod.processes.at(0).waits, !each.want.has_value());
    EXPECT_EQ(pod.beside, std::vector<std::string>{"logs"});
    EXPECT_EQ(pod.failed, std::nullopt);
  }
}

TEST(PodReader, knows_how_long_a_taint_is_tolerated) {
  const auto entries = nlohmann::json::parse(R"([
    {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
    {"key": "b", "operator": "Exists", "tolerationSeconds": -5}, {"operator": "Exists"}])");
  PodBuilder builder = job_member();
  const auto pod = read(builder.set("/spec/tolerations", entries));
  ASSERT_EQ(pod.tolerations.size(), 3u);
  EXPECT_EQ(pod.tolerations[0].key, "a");
  EXPECT_EQ(pod.tolerations[0].time, std::chrono::seconds(300));
  EXPECT_EQ(pod.tolerations[1].time, std::chrono::seconds(0));
  EXPECT_EQ(pod.tolerations[2].time, std::nullopt);
}

TEST(PodReader, passes_over_pods_without_chips) {
  const webhook::config::Config config;
  const webhook::read::NoCluster cluster;
  EXPECT_FALSE(*PodReader(config, cluster).read(a_pod().pod()));
}

TEST(PodReader, hosts_that_are_slices_alone_are_told_apart_by_index_or_name) {
  const auto job = [](std::uint32_t index, const char* name) {
    return read(a_pod().job("j", index).topology("2x2").tpu(4).set("/metadata/name", name));
  };
  EXPECT_EQ(job(0, "a").slice_key, job(0, "b").slice_key);
  EXPECT_NE(job(0, "a").slice_key, job(1, "a").slice_key);
  const auto plain = [](const char* name) {
    return read(a_pod()
                    .owner("ReplicaSet", "r", "u")
                    .topology("2x2")
                    .tpu(4)
                    .set("/metadata/name", name))
        .slice_key;
  };
  EXPECT_NE(plain("a"), plain("b"));
}

TEST(PodReader, takes_the_last_entry_of_a_name_and_only_literals) {
  const auto pod = read(job_member()
                            .env("TPU_WORKER_ID", "7")
                            .env("TPU_WORKER_ID", "1")
                            .env_from("TPU_NAME", "metadata.name")
                            .env("TPU_PROCESS_ADDRESSES", "$(HOST):8471"));
  ASSERT_EQ(pod.processes.size(), 1u);
  const TpuProcess& process = pod.processes[0];
  EXPECT_EQ(process[webhook::read::Variable::tpu_worker_id].text, "1");
  EXPECT_EQ(process[webhook::read::Variable::tpu_name].kind, EnvValue::Kind::unknown);
  EXPECT_EQ(process[webhook::read::Variable::tpu_process_addresses].kind, EnvValue::Kind::unknown);
  EXPECT_TRUE(process[webhook::read::Variable::tpu_worker_hostnames].absent());
}

TEST(PodReader, an_env_from_may_hold_what_is_not_in_the_list) {
  const auto pod = read(job_member()
                            .env("TPU_WORKER_ID", "1")
                            .set("/spec/containers/0/envFrom",
                                 test::json::parse(R"([{"configMapRef": {"name": "c"}}])")));
  EXPECT_TRUE(pod.processes[0][webhook::read::Variable::tpu_worker_id].literal());
  EXPECT_EQ(pod.processes[0][webhook::read::Variable::tpu_worker_hostnames].kind,
            EnvValue::Kind::unknown);
}

TEST(PodReader, sees_a_pod_that_opted_out) {
  EXPECT_EQ(read(job_member().annotation("tpu-webhook.dev/inject", "false")).host, 1u);
}

TEST(PodReader, says_why_a_pod_is_nobody) {
  const auto plain = read(a_pod().owner("ReplicaSet", "r", "u").topology("4x4").tpu(4));
  EXPECT_FALSE(plain.host);
  EXPECT_EQ(plain.hosts, 4u);
  EXPECT_THAT(plain.not_placed, testing::StartsWith("nothing on the Pod says which host"));
  EXPECT_FALSE(plain.impossible);
  const auto odd = read(a_pod().job("train", 1).topology("2x4").tpu(3));
  EXPECT_TRUE(odd.impossible);
  EXPECT_EQ(odd.hosts, 0u);
  EXPECT_THAT(odd.not_placed, testing::HasSubstr("2x4"));
  const auto far = read(a_pod().job("train", 5).topology("2x4").tpu(4));
  EXPECT_THAT(far.not_placed, testing::HasSubstr("expected a whole number from 0 to 1"));
  EXPECT_FALSE(far.impossible);
}

PodBuilder ray_worker() {
  return a_pod()
      .label("ray.io/node-type", "worker")
      .label("ray.io/cluster", "c")
      .label("ray.io/group", "g")
      .owner("RayCluster", "c", "u")
      .topology("4x4")
      .tpu(4);
}

TEST(PodReader, knows_ray_workers_by_our_token_or_another_injector) {
  const auto token = read(ray_worker().label("tpu-webhook.dev/token", "1-2-0123456789abcdef"));
  EXPECT_EQ(token.slice, 1u);
  EXPECT_EQ(token.host, 2u);
  const auto other = read(ray_worker().label("replicaIndex", "g-1").env("TPU_WORKER_ID", "3"));
  EXPECT_EQ(other.slice, 1u);
  EXPECT_EQ(other.host, 3u);
  EXPECT_EQ(other.slice_key, token.slice_key);
  const auto nobody = read(ray_worker());
  EXPECT_FALSE(nobody.host);
  EXPECT_THAT(nobody.not_placed, testing::HasSubstr("member of its worker group"));
}

}  // namespace
}  // namespace tpuwh::server::slices
