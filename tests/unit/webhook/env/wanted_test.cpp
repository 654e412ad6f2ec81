// The variables that a Pod leaves with, by workload (docs/decisions/0016).
#include "webhook/env/wanted.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/admitted.hpp"
#include "tests/support/named_case.hpp"
#include "tests/unit/webhook/env/env_pods.hpp"

namespace tpuwh::webhook::env {
namespace {

using env_test::env_of;
using env_test::id;
using env_test::ironwood;
using env_test::two_slices;
using env_test::Wanted;
using test::a_pod;
using test::admit;
using test::case_name;
using test::effective;
using test::PodBuilder;
using test::PrintTo;

struct Workload {
  std::string_view name;
  PodBuilder pod;
  Wanted want;
  std::size_t container = 0;
  config::Config config{};
};

class WorkloadEnv : public testing::TestWithParam<Workload> {};

TEST_P(WorkloadEnv, is_what_readers_expect) {
  const auto answer = admit(GetParam().pod, {.config = GetParam().config});
  EXPECT_EQ(answer.outcome,
            GetParam().want.empty() ? outcome::Outcome::unchanged : outcome::Outcome::patched);
  EXPECT_TRUE(answer.warnings.empty()) << answer.warnings[0];
  EXPECT_EQ(env_of(answer, GetParam().container), GetParam().want);
}

const Wanted job_1_of_2 = {{"TPU_WORKER_HOSTNAMES", "train-0.svc,train-1.svc"},
                           {"TPU_WORKER_ID", "1"}};

config::Config with_port(std::uint16_t port) {
  return {.base_port = port};
}

INSTANTIATE_TEST_SUITE_P(
    Env, WorkloadEnv,
    testing::Values(
        // One host says nothing that the device plugin does not say.
        Workload{"pod_one_host", a_pod().topology("2x2").tpu(4), {}},
        Workload{"job_one_host", a_pod().job("train", 0).topology("2x4").tpu(8), {}},
        Workload{"jobset_one_host", a_pod().jobset("s", "r", 3, 2, 0).topology("2x2").tpu(4), {}},

        Workload{"job", a_pod().job("train", 1).topology("2x4").tpu(4), job_1_of_2},
        Workload{"jobset_one_slice",
                 a_pod().jobset("s", "r", 1, 0, 1).topology("2x4").tpu(4),
                 {{"TPU_WORKER_HOSTNAMES", "s-r-0-0.s,s-r-0-1.s"}, {"TPU_WORKER_ID", "1"}}},
        Workload{"jobset_two_slices",
                 a_pod().jobset("s", "r", 2, 1, 0).topology("2x4").tpu(4),
                 {{"MEGASCALE_NUM_SLICES", "2"},
                  {"MEGASCALE_SLICE_ID", "1"},
                  {"MEGASCALE_COORDINATOR_ADDRESS", "s-r-0-0.s"},
                  {"MEGASCALE_PORT", "8080"},
                  {"TPU_WORKER_HOSTNAMES", "s-r-1-0.s,s-r-1-1.s"},
                  {"TPU_WORKER_ID", "0"}}},
        Workload{"tpu_name_on_request",
                 a_pod().job("train", 1).topology("2x4").tpu(4),
                 {{"TPU_WORKER_HOSTNAMES", "train-0.svc,train-1.svc"},
                  {"TPU_WORKER_ID", "1"},
                  {"TPU_NAME", "train"}},
                 0,
                 {.tpu_name_everywhere = true}},

        Workload{"ray",
                 a_pod().ray("c", "g", 1, 1).topology("2x4").tpu(4),
                 {{"TPU_WORKER_HOSTNAMES", "g-1-0.c-headless,g-1-1.c-headless"},
                  {"TPU_WORKER_ID", "1"},
                  {"TPU_NAME", "g-1"},
                  {"TPU_DEVICE_PLUGIN_HOST_IP", "<status.hostIP>"},
                  {"TPU_DEVICE_PLUGIN_ADDR", "$(TPU_DEVICE_PLUGIN_HOST_IP):2112"}}},
        Workload{"ray_one_host",
                 a_pod().ray("c", "g", 1, 0).topology("2x2").tpu(4),
                 {{"TPU_WORKER_ID", "0"},
                  {"TPU_NAME", "g-1"},
                  {"TPU_DEVICE_PLUGIN_HOST_IP", "<status.hostIP>"},
                  {"TPU_DEVICE_PLUGIN_ADDR", "$(TPU_DEVICE_PLUGIN_HOST_IP):2112"}}},
        Workload{
            "ray_slices",
            a_pod().ray("c", "g", 1, 0).topology("2x4").tpu(4).env("MEGASCALE_NUM_SLICES", "2"),
            {{"MEGASCALE_SLICE_ID", "1"},
             {"MEGASCALE_COORDINATOR_ADDRESS", "g-0-0.c-headless"},
             {"MEGASCALE_PORT", "8081"},
             {"TPU_WORKER_HOSTNAMES", "g-1-0.c-headless,g-1-1.c-headless"},
             {"TPU_WORKER_ID", "0"},
             {"TPU_NAME", "g-1"},
             {"TPU_DEVICE_PLUGIN_HOST_IP", "<status.hostIP>"},
             {"TPU_DEVICE_PLUGIN_ADDR", "$(TPU_DEVICE_PLUGIN_HOST_IP):2112"},
             {"MEGASCALE_NUM_SLICES", "2"}}},

        Workload{"ironwood_pod",
                 ironwood().topology("2x2x1").tpu(4),
                 {{"TPU_WORKER_HOSTNAMES", "localhost"}, {"TPU_WORKER_ID", "0"}}},
        Workload{"ironwood_two_containers",
                 ironwood().topology("2x2x1").tpu(2).container("b").tpu(2),
                 {{"TPU_WORKER_HOSTNAMES", "localhost,localhost"},
                  {"TPU_PROCESS_ADDRESSES", "localhost:8471,localhost:8472"},
                  {"TPU_PROCESS_PORT", "8472"},
                  {"TPU_WORKER_ID", "1"}},
                 1},
        Workload{"ironwood_job",
                 ironwood().job("t", 1).topology("2x2x2").tpu(4),
                 {{"TPU_WORKER_HOSTNAMES", "t-0.svc,t-1.svc"},
                  {"TPU_PROCESS_ADDRESSES", "t-0.svc:8471,t-1.svc:8471"},
                  {"TPU_PROCESS_PORT", "8471"},
                  {"TPU_WORKER_ID", "1"}}},
        Workload{"ironwood_job_two_containers",
                 ironwood().job("t", 1).topology("2x2x2").tpu(2).container("b").tpu(2),
                 {{"TPU_WORKER_HOSTNAMES", "t-0.svc,t-0.svc,t-1.svc,t-1.svc"},
                  {"TPU_PROCESS_ADDRESSES", "t-0.svc:8471,t-0.svc:8472,t-1.svc:8471,t-1.svc:8472"},
                  {"TPU_PROCESS_PORT", "8472"},
                  {"TPU_WORKER_ID", "3"}},
                 1},
        Workload{
            "ironwood_slices_second_container",
            ironwood().jobset("s", "r", 2, 1, 0).topology("2x2x2").tpu(2).container("b").tpu(2),
            {{"MEGASCALE_NUM_SLICES", "2"},
             {"MEGASCALE_SLICE_ID", "1"},
             {"MEGASCALE_COORDINATOR_ADDRESS", "s-r-0-0.s:8080"},
             {"MEGASCALE_PORT", "8081"},
             {"TPU_WORKER_HOSTNAMES", "s-r-1-0.s,s-r-1-0.s,s-r-1-1.s,s-r-1-1.s"},
             {"TPU_PROCESS_ADDRESSES",
              "s-r-1-0.s:9000,s-r-1-0.s:9001,s-r-1-1.s:9000,s-r-1-1.s:9001"},
             {"TPU_PROCESS_PORT", "9001"},
             {"TPU_WORKER_ID", "1"}},
            1,
            with_port(9000)},
        Workload{"ironwood_ray_two_containers",
                 ironwood().ray("c", "g", 0, 1).topology("2x2x2").tpu(2).container("b").tpu(2),
                 {{"TPU_WORKER_HOSTNAMES", "g-0-0.c-headless,g-0-1.c-headless"},
                  {"TPU_PROCESS_ADDRESSES",
                   "g-0-0.c-headless:8471,g-0-0.c-headless:8472,g-0-1.c-headless:8471,g-0-1.c-"
                   "headless:8472"},
                  {"TPU_PROCESS_PORT", "8472"},
                  {"TPU_WORKER_ID", "3"},
                  {"TPU_NAME", "g-0"},
                  {"TPU_DEVICE_PLUGIN_HOST_IP", "<status.hostIP>"},
                  {"TPU_DEVICE_PLUGIN_ADDR", "$(TPU_DEVICE_PLUGIN_HOST_IP):2112"}},
                 1}),
    case_name);

TEST(WorkerId, is_a_number_of_as_many_digits_as_it_has) {
  for (const unsigned host : {0u, 9u, 10u, 11u, 63u})
    EXPECT_EQ(effective(admit(a_pod().job("t", host).topology("16x16").tpu(4)), "TPU_WORKER_ID"),
              std::to_string(host));
}

TEST(SidecarEnv, comes_behind_the_containers) {
  auto pod = ironwood().topology("2x2x1").tpu(2).sidecar("s").tpu(2);
  const auto answer = admit(pod);
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "0");
  EXPECT_EQ(effective(answer.object["spec"]["initContainers"][0], "TPU_WORKER_ID"), "1");
}

// --- Jobs of several slices -----------------------------------------------------------------

struct Slices {
  std::string_view name;
  PodBuilder pod;
  std::string count, id, coordinator, port;
};

class MegaScale : public testing::TestWithParam<Slices> {};

TEST_P(MegaScale, is_there_when_slices_are_one_job) {
  const auto answer = admit(GetParam().pod);
  ASSERT_TRUE(answer.allowed) << answer.message;
  EXPECT_EQ(effective(answer, "MEGASCALE_NUM_SLICES"), GetParam().count);
  EXPECT_EQ(effective(answer, "MEGASCALE_SLICE_ID"), GetParam().id);
  EXPECT_EQ(effective(answer, "MEGASCALE_COORDINATOR_ADDRESS"), GetParam().coordinator);
  EXPECT_EQ(effective(answer, "MEGASCALE_PORT"), GetParam().port);
}

const char* const none = "(absent)";

PodBuilder grouped(const char* group_replicas, const char* index) {
  return two_slices()
      .label("jobset.sigs.k8s.io/group-name", "g")
      .label("jobset.sigs.k8s.io/group-replicas", group_replicas)
      .label("jobset.sigs.k8s.io/job-group-index", index);
}
PodBuilder ray(std::uint32_t replica) {
  return a_pod().ray("c", "g", replica, 0).topology("2x4").tpu(4);
}

INSTANTIATE_TEST_SUITE_P(
    Env, MegaScale,
    testing::Values(
        Slices{"jobset_one_slice", a_pod().jobset("s", "r", 1, 0, 0).topology("2x4").tpu(4), none,
               none, none, none},
        Slices{"jobset_two", two_slices(), "2", "1", "s-r-0-0.s", "8080"},
        Slices{"opt_out", two_slices().env("MEGASCALE_NUM_SLICES", ""), "", none, none, none},
        Slices{"opt_out_as_go_sends_it", two_slices().env_entry({{"name", "MEGASCALE_NUM_SLICES"}}),
               "", none, none, none},
        Slices{"count_from_a_label", two_slices().env_from("MEGASCALE_NUM_SLICES", "f"), "<f>", "1",
               "s-r-0-0.s", "8080"},
        Slices{"pathways",
               two_slices()
                   .env_from("MEGASCALE_NUM_SLICES", "n")
                   .env_from("MEGASCALE_SLICE_ID", "i")
                   .env_from("MEGASCALE_COORDINATOR_ADDRESS", "c"),
               "<n>", "<i>", "<c>", none},
        Slices{"their_coordinator", two_slices().env("MEGASCALE_COORDINATOR_ADDRESS", "head"), none,
               none, "head", none},
        Slices{"their_coordinator_is_ours",
               two_slices().env("MEGASCALE_COORDINATOR_ADDRESS", "s-r-0-0.s"), "2", "1",
               "s-r-0-0.s", "8080"},
        Slices{"their_port", two_slices().env("MEGASCALE_PORT", "9000"), "2", "1", "s-r-0-0.s",
               "9000"},
        Slices{"independent_servers", a_pod().jobset("s", "r", 2, 1, 0).topology("2x2").tpu(4),
               none, none, none, none},
        Slices{"one_host_when_asked",
               a_pod()
                   .jobset("s", "r", 2, 1, 0)
                   .topology("2x2")
                   .tpu(4)
                   .env("MEGASCALE_NUM_SLICES", "2"),
               "2", "1", "s-r-0-0.s", "8080"},
        Slices{"group_is_the_replicated_job", grouped("2", "1"), "2", "1", "s-r-0-0.s", "8080"},
        // Host 0 of slice 0 may be of another replicated job, whose name is not here.
        Slices{"group_of_several", grouped("4", "3"), none, none, none, none},
        Slices{"ray", ray(1), none, none, none, none},
        Slices{"ray_asked", ray(1).env("MEGASCALE_NUM_SLICES", "2"), "2", "1", "g-0-0.c-headless",
               "8081"},
        Slices{"ray_opt_out", ray(1).env("MEGASCALE_NUM_SLICES", ""), "", none, none, none},
        Slices{"ray_asked_by_reference", ray(7).env_from("MEGASCALE_NUM_SLICES", "f"), "<f>", "7",
               "g-0-0.c-headless", "8081"},
        Slices{"ray_one_host_asked",
               a_pod().ray("c", "g", 1, 0).topology("2x2").tpu(4).env("MEGASCALE_NUM_SLICES", "2"),
               "2", "1", "g-0-0.c-headless", "8081"},
        Slices{"ironwood_port_in_the_name", two_slices().accelerator("tpu7x").topology("2x2x2"),
               "2", "1", "s-r-0-0.s:8080", "8080"},
        Slices{"ironwood_their_port_in_the_name",
               two_slices().accelerator("tpu7x").topology("2x2x2").env("MEGASCALE_PORT", "9000"),
               "2", "1", "s-r-0-0.s:9000", "9000"},
        Slices{"ironwood_their_port_unreadable",
               two_slices().accelerator("tpu7x").topology("2x2x2").env_from("MEGASCALE_PORT", "f"),
               "2", "1", "s-r-0-0.s", "<f>"}),
    case_name);

// Each Pod is a slice of its own.
TEST(TpuName, of_a_jobsets_single_hosts_has_the_index) {
  for (const std::uint32_t index : {0u, 3u}) {
    const auto answer = admit(a_pod().jobset("s", "r", 2, 1, index).topology("2x2").tpu(4),
                              {.config = {.tpu_name_everywhere = true}});
    EXPECT_EQ(effective(answer, "TPU_NAME"), "s-r-1-" + std::to_string(index));
  }
}

TEST(MegaScaleHosts, one_host_ray_workers_get_the_names_the_coordinator_needs) {
  const auto answer =
      admit(a_pod().ray("c", "g", 1, 0).topology("2x2").tpu(4).env("MEGASCALE_NUM_SLICES", "2"));
  EXPECT_EQ(answer.object["spec"]["hostname"], "g-1-0");
  EXPECT_EQ(answer.object["spec"]["subdomain"], "c-headless");
}

TEST(MegaScaleHosts, a_number_of_slices_that_is_none_leaves_the_others_out) {
  const auto answer = admit(ray(1).env("MEGASCALE_NUM_SLICES", "two"));
  EXPECT_EQ(effective(answer, "MEGASCALE_NUM_SLICES"), "two");
  EXPECT_EQ(effective(answer, "MEGASCALE_SLICE_ID"), none);
  EXPECT_NE(answer.warning("MEGASCALE_NUM_SLICES of container main is two and was kept; this Pod's "
                           "place in the slice gives a number, so no variable for MegaScale"),
            "");
}

// One that says it says it for all processes of the Pod.
TEST(MegaScaleHosts, containers_of_a_pod_are_one_process_group) {
  for (const bool first : {true, false}) {
    auto pod = a_pod().accelerator("tpu7x").ray("c", "g", 1, 0).topology("2x2x2").tpu(2);
    if (first) pod.env("MEGASCALE_NUM_SLICES", "2");
    pod.container("b").tpu(2);
    if (!first) pod.env("MEGASCALE_NUM_SLICES", "2");
    const auto answer = admit(pod);
    for (const std::size_t container : {0u, 1u})
      EXPECT_EQ(effective(answer, "MEGASCALE_NUM_SLICES", container), "2");
    EXPECT_EQ(effective(answer, "MEGASCALE_PORT", 1), "8082");
  }
}

TEST(MegaScaleHosts, one_host_ray_workers_of_one_slice_need_none) {
  const auto answer = admit(a_pod().ray("c", "g", 1, 0).topology("2x2").tpu(4));
  EXPECT_FALSE(answer.object["spec"].contains("hostname"));
  EXPECT_FALSE(answer.object["spec"].contains("subdomain"));
}

TEST(MegaScaleHosts, a_replica_beyond_the_slices_is_denied) {
  for (const std::uint32_t replica : {2u, 3u, 4294967295u}) {
    const auto answer = admit(ray(replica).env("MEGASCALE_NUM_SLICES", "2"));
    EXPECT_FALSE(answer.allowed);
    EXPECT_EQ(answer.reason, outcome::Reason::bad_index);
    EXPECT_NE(answer.message.find("ray.io/worker-group-replica-index"), std::string::npos);
    EXPECT_NE(answer.message.find("2 slices"), std::string::npos) << answer.message;
  }
  EXPECT_TRUE(admit(ray(2).env("MEGASCALE_NUM_SLICES", "")).allowed);
  EXPECT_TRUE(admit(ray(2)).allowed);
}

}  // namespace
}  // namespace tpuwh::webhook::env
