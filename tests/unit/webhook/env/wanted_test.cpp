// The variables that a Pod leaves with, by workload (docs/decisions/0016).
#include "webhook/env/wanted.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/admitted.hpp"
#include "tests/unit/webhook/env/env_pods.hpp"

namespace tpuwh::webhook::env {
namespace {

using namespace test;
using namespace env_test;

void expect_env(const PodBuilder& pod, const Wanted& want, std::size_t container = 0,
                const config::Config& config = {}) {
  SCOPED_TRACE(pod.pod().dump());
  const auto answer = admit(pod, {.config = config});
  EXPECT_EQ(answer.outcome, want.empty() ? outcome::Outcome::unchanged : outcome::Outcome::patched);
  EXPECT_TRUE(answer.warnings.empty()) << answer.warnings[0];
  EXPECT_EQ(env_of(answer, container), want);
}

const Wanted job_1_of_2 = {{"TPU_WORKER_HOSTNAMES", "train-0.svc,train-1.svc"},
                           {"TPU_WORKER_ID", "1"}};

config::Config with_port(std::uint16_t port) {
  return {.base_port = port};
}

TEST(WorkloadEnv, is_what_readers_expect) {
  expect_env(a_pod().job("train", 1).on("2x4", 4),
             {{"TPU_WORKER_HOSTNAMES", "train-0.svc,train-1.svc"},
              {"TPU_WORKER_ID", "1"},
              {"TPU_NAME", "train"}},
             0, {.tpu_name_everywhere = true});
  expect_env(ironwood().on("2x2x1", 2).container("b", 2),
             {{"TPU_WORKER_HOSTNAMES", "localhost,localhost"},
              {"TPU_PROCESS_ADDRESSES", "localhost:8471,localhost:8472"},
              {"TPU_PROCESS_PORT", "8472"},
              {"TPU_WORKER_ID", "1"}},
             1);
  expect_env(
      ironwood().jobset("s", "r", 2, 1, 0).on("2x2x2", 2).container("b", 2),
      {{"MEGASCALE_NUM_SLICES", "2"},
       {"MEGASCALE_SLICE_ID", "1"},
       {"MEGASCALE_COORDINATOR_ADDRESS", "s-r-0-0.s:8080"},
       {"MEGASCALE_PORT", "8081"},
       {"TPU_WORKER_HOSTNAMES", "s-r-1-0.s,s-r-1-0.s,s-r-1-1.s,s-r-1-1.s"},
       {"TPU_PROCESS_ADDRESSES", "s-r-1-0.s:9000,s-r-1-0.s:9001,s-r-1-1.s:9000,s-r-1-1.s:9001"},
       {"TPU_PROCESS_PORT", "9001"},
       {"TPU_WORKER_ID", "1"}},
      1, with_port(9000));
  expect_env(ironwood().ray("c", "g", 0, 1).on("2x2x2", 2).container("b", 2),
             {{"TPU_WORKER_HOSTNAMES", "g-0-0.c-headless,g-0-1.c-headless"},
              {"TPU_PROCESS_ADDRESSES",
               "g-0-0.c-headless:8471,g-0-0.c-headless:8472,g-0-1.c-headless:8471,g-0-1.c-"
               "headless:8472"},
              {"TPU_PROCESS_PORT", "8472"},
              {"TPU_WORKER_ID", "3"},
              {"TPU_NAME", "g-0"},
              {"TPU_DEVICE_PLUGIN_HOST_IP", "<status.hostIP>"},
              {"TPU_DEVICE_PLUGIN_ADDR", "$(TPU_DEVICE_PLUGIN_HOST_IP):2112"}},
             1);
}

TEST(WorkerId, is_a_number_of_as_many_digits_as_it_has) {
  for (const unsigned host : {0u, 9u, 10u, 11u, 63u})
    EXPECT_EQ(effective(admit(a_pod().job("t", host).on("16x16", 4)), "TPU_WORKER_ID"),
              std::to_string(host));
}

TEST(SidecarEnv, comes_behind_the_containers) {
  auto pod = ironwood().on("2x2x1", 2).sidecar("s", 2);
  const auto answer = admit(pod);
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "0");
  EXPECT_EQ(effective(answer.object["spec"]["initContainers"][0], "TPU_WORKER_ID"), "1");
}

// --- Jobs of several slices -----------------------------------------------------------------

void expect_slices(const PodBuilder& pod, const std::string& count, const std::string& id,
                   const std::string& coordinator, const std::string& port) {
  SCOPED_TRACE(pod.pod().dump());
  const auto answer = admit(pod);
  ASSERT_TRUE(answer.allowed) << answer.message;
  EXPECT_EQ(effective(answer, "MEGASCALE_NUM_SLICES"), count);
  EXPECT_EQ(effective(answer, "MEGASCALE_SLICE_ID"), id);
  EXPECT_EQ(effective(answer, "MEGASCALE_COORDINATOR_ADDRESS"), coordinator);
  EXPECT_EQ(effective(answer, "MEGASCALE_PORT"), port);
}

const char* const none = "(absent)";

PodBuilder grouped(const char* group_replicas, const char* index) {
  return two_slices()
      .label("jobset.sigs.k8s.io/group-name", "g")
      .label("jobset.sigs.k8s.io/group-replicas", group_replicas)
      .label("jobset.sigs.k8s.io/job-group-index", index);
}
PodBuilder ray(std::uint32_t replica) {
  return a_pod().ray("c", "g", replica, 0).on("2x4", 4);
}

TEST(MegaScale, is_there_when_slices_are_one_job) {
  expect_slices(two_slices().env("MEGASCALE_NUM_SLICES", ""), "", none, none, none);
  expect_slices(two_slices().env_from("MEGASCALE_NUM_SLICES", "f"), "<f>", "1", "s-r-0-0.s",
                "8080");
  expect_slices(two_slices().env("MEGASCALE_COORDINATOR_ADDRESS", "head"), none, none, "head",
                none);
  expect_slices(two_slices().env("MEGASCALE_COORDINATOR_ADDRESS", "s-r-0-0.s"), "2", "1",
                "s-r-0-0.s", "8080");
  expect_slices(two_slices().env("MEGASCALE_PORT", "9000"), "2", "1", "s-r-0-0.s", "9000");
  expect_slices(a_pod().jobset("s", "r", 2, 1, 0).on("2x2", 4).env("MEGASCALE_NUM_SLICES", "2"),
                "2", "1", "s-r-0-0.s", "8080");
  expect_slices(grouped("2", "1"), "2", "1", "s-r-0-0.s", "8080");
  // A Ray replica has these values only if the user sets MEGASCALE_NUM_SLICES, and not to "".
  expect_slices(ray(1).env("MEGASCALE_NUM_SLICES", ""), "", none, none, none);
  expect_slices(ray(7).env_from("MEGASCALE_NUM_SLICES", "f"), "<f>", "7", "g-0-0.c-headless",
                "8081");
  expect_slices(two_slices().accelerator("tpu7x").topology("2x2x2").env("MEGASCALE_PORT", "9000"),
                "2", "1", "s-r-0-0.s:9000", "9000");
  expect_slices(two_slices().accelerator("tpu7x").topology("2x2x2").env_from("MEGASCALE_PORT", "f"),
                "2", "1", "s-r-0-0.s", "<f>");
}

// Each Pod is a slice of its own.
TEST(TpuName, of_a_jobsets_single_hosts_has_the_index) {
  for (const std::uint32_t index : {0u, 3u}) {
    const auto answer = admit(a_pod().jobset("s", "r", 2, 1, index).on("2x2", 4),
                              {.config = {.tpu_name_everywhere = true}});
    EXPECT_EQ(effective(answer, "TPU_NAME"), "s-r-1-" + std::to_string(index));
  }
}

TEST(MegaScaleHosts, a_number_of_slices_that_is_none_leaves_the_others_out) {
  const auto answer = admit(ray(1).env("MEGASCALE_NUM_SLICES", "two"));
  EXPECT_EQ(effective(answer, "MEGASCALE_NUM_SLICES"), "two");
  EXPECT_EQ(effective(answer, "MEGASCALE_SLICE_ID"), none);
  EXPECT_TRUE(has(answer.warnings,
                  "MEGASCALE_NUM_SLICES of container main is two and was kept; this Pod's "
                  "place in the slice gives a number, so no variable for MegaScale"));
}

// One that says it says it for all processes of the Pod.
TEST(MegaScaleHosts, containers_of_a_pod_are_one_process_group) {
  for (const bool first : {true, false}) {
    auto pod = a_pod().accelerator("tpu7x").ray("c", "g", 1, 0).on("2x2x2", 2);
    if (first) pod.env("MEGASCALE_NUM_SLICES", "2");
    pod.container("b", 2);
    if (!first) pod.env("MEGASCALE_NUM_SLICES", "2");
    const auto answer = admit(pod);
    for (const std::size_t container : {0u, 1u})
      EXPECT_EQ(effective(answer, "MEGASCALE_NUM_SLICES", container), "2");
    EXPECT_EQ(effective(answer, "MEGASCALE_PORT", 1), "8082");
  }
}

TEST(MegaScaleHosts, a_replica_beyond_the_slices_is_denied) {
  for (const std::uint32_t replica : {2u, 3u, 4294967295u}) {
    const auto answer = admit(ray(replica).env("MEGASCALE_NUM_SLICES", "2"));
    EXPECT_FALSE(answer.allowed);
    EXPECT_EQ(answer.reason, Reason::bad_index);
    EXPECT_TRUE(has(answer.message, "ray.io/worker-group-replica-index"));
    EXPECT_TRUE(has(answer.message, "2 slices"));
  }
  EXPECT_TRUE(admit(ray(2).env("MEGASCALE_NUM_SLICES", "")).allowed);
  EXPECT_TRUE(admit(ray(2)).allowed);
}

}  // namespace
}  // namespace tpuwh::webhook::env
