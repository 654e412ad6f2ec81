// The variables that a Pod leaves with, by workload (DESIGN D3, D6, D7).
#include "webhook/decide/env.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/admitted.hpp"
#include "tests/support/named_case.hpp"

namespace tpuwh::webhook::decide {
namespace {

using test::a_pod;
using test::admit;
using test::admit_pod;
using test::Admitted;
using test::annotation;
using test::case_name;
using test::effective;
using test::env_names;
using test::json;
using test::PodBuilder;
using test::PrintTo;

// --- What each workload gets -------------------------------------------------------------

using Wanted = std::vector<std::pair<std::string, std::string>>;

// The environment of a container without what the test put there itself.
Wanted env_of(const Admitted& answer, std::size_t container = 0) {
  Wanted all;
  const json& object = answer.object.at("spec").at("containers").at(container);
  for (const std::string& name : env_names(object)) all.emplace_back(name, effective(object, name));
  return all;
}

struct Workload {
  std::string_view name;
  PodBuilder pod;
  Wanted want;
  std::size_t container = 0;
  config::Config config{};
};

class WorkloadEnv : public testing::TestWithParam<Workload> {};

TEST_P(WorkloadEnv, IsWhatReadersExpect) {
  const auto answer = admit(GetParam().pod, {.config = GetParam().config});
  EXPECT_EQ(answer.outcome, GetParam().want.empty() ? Outcome::unchanged : Outcome::patched);
  EXPECT_TRUE(answer.warnings.empty()) << answer.warnings[0];
  EXPECT_EQ(env_of(answer, GetParam().container), GetParam().want);
}

const Wanted job_1_of_2 = {{"TPU_WORKER_HOSTNAMES", "train-0.svc,train-1.svc"},
                           {"TPU_WORKER_ID", "1"}};

PodBuilder ironwood() {
  return a_pod().accelerator("tpu7x");
}
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

TEST(SidecarEnv, ComesBehindTheContainers) {
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

TEST_P(MegaScale, IsThereWhenSlicesAreOneJob) {
  const auto answer = admit(GetParam().pod);
  ASSERT_TRUE(answer.allowed) << answer.message;
  EXPECT_EQ(effective(answer, "MEGASCALE_NUM_SLICES"), GetParam().count);
  EXPECT_EQ(effective(answer, "MEGASCALE_SLICE_ID"), GetParam().id);
  EXPECT_EQ(effective(answer, "MEGASCALE_COORDINATOR_ADDRESS"), GetParam().coordinator);
  EXPECT_EQ(effective(answer, "MEGASCALE_PORT"), GetParam().port);
}

const char* const none = "(absent)";

PodBuilder two_slices() {
  return a_pod().jobset("s", "r", 2, 1, 0).topology("2x4").tpu(4);
}
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
        Slices{"their_coordinator", two_slices().env("MEGASCALE_COORDINATOR_ADDRESS", "head"), "2",
               "1", "head", none},
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

TEST(MegaScaleHosts, OneHostRayWorkersGetTheNamesTheCoordinatorNeeds) {
  const auto answer =
      admit(a_pod().ray("c", "g", 1, 0).topology("2x2").tpu(4).env("MEGASCALE_NUM_SLICES", "2"));
  EXPECT_EQ(answer.object["spec"]["hostname"], "g-1-0");
  EXPECT_EQ(answer.object["spec"]["subdomain"], "c-headless");
}

TEST(MegaScaleHosts, OneHostRayWorkersOfOneSliceNeedNone) {
  const auto answer = admit(a_pod().ray("c", "g", 1, 0).topology("2x2").tpu(4));
  EXPECT_FALSE(answer.object["spec"].contains("hostname"));
  EXPECT_FALSE(answer.object["spec"].contains("subdomain"));
}

TEST(MegaScaleHosts, AReplicaBeyondTheSlicesIsDenied) {
  for (const std::uint32_t replica : {2u, 3u, 4294967295u}) {
    const auto answer = admit(ray(replica).env("MEGASCALE_NUM_SLICES", "2"));
    EXPECT_FALSE(answer.allowed);
    EXPECT_EQ(answer.reason, Reason::bad_index);
    EXPECT_NE(answer.message.find("ray.io/worker-group-replica-index"), std::string::npos);
    EXPECT_NE(answer.message.find("2 slices"), std::string::npos) << answer.message;
  }
  EXPECT_TRUE(admit(ray(2).env("MEGASCALE_NUM_SLICES", "")).allowed);
  EXPECT_TRUE(admit(ray(2)).allowed);
}

// --- A value that is there (D3) ---------------------------------------------------------------

struct Theirs {
  std::string_view name;
  std::vector<json> entries;  // of the user, in order
  const char* variable;
  std::string want;          // effective afterwards
  const char* warning = "";  // part of one; "" for none at all
};

class UsersValue : public testing::TestWithParam<Theirs> {};

json literal(const char* name, const char* value) {
  return {{"name", name}, {"value", value}};
}
json from(const char* name, const char* path) {
  return {{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}};
}

TEST_P(UsersValue, StaysWhereItIs) {
  auto pod = a_pod().job("train", 1).topology("2x4").tpu(4);
  for (const json& entry : GetParam().entries) pod.env_entry(entry);
  const auto answer = admit(pod);
  EXPECT_EQ(effective(answer, GetParam().variable), GetParam().want);
  // Theirs are the end of the list, in their order, each name as often as before.
  const json& env = answer.object["spec"]["containers"][0]["env"];
  ASSERT_GE(env.size(), GetParam().entries.size());
  const std::size_t front = env.size() - GetParam().entries.size();
  std::size_t changed = 0;
  for (std::size_t i = 0; i < GetParam().entries.size(); ++i) {
    EXPECT_EQ(env[front + i]["name"], GetParam().entries[i]["name"]);
    changed += env[front + i] != GetParam().entries[i] ? 1 : 0;
  }
  EXPECT_LE(changed, 1u);
  for (std::size_t i = 0; i < front; ++i)
    for (const json& entry : GetParam().entries) EXPECT_NE(env[i]["name"], entry["name"]);
  if (std::string_view(GetParam().warning).empty())
    EXPECT_TRUE(answer.warnings.empty()) << answer.warnings[0];
  else
    EXPECT_NE(answer.warning(GetParam().warning), "");
}

const char* const id = "TPU_WORKER_ID";
const char* const names = "TPU_WORKER_HOSTNAMES";
const char* const addresses = "TPU_PROCESS_ADDRESSES";

INSTANTIATE_TEST_SUITE_P(
    Env, UsersValue,
    testing::Values(
        Theirs{"literal",
               {literal(id, "7")},
               id,
               "7",
               "TPU_WORKER_ID of container main is 7 and stays"},
        Theirs{"the_same", {literal(id, "1")}, id, "1"},
        Theirs{"empty_is_an_opt_out", {literal(id, "")}, id, ""},
        Theirs{"no_value_is_empty", {{{"name", id}}}, id, ""},
        Theirs{"reference", {from(id, "f")}, id, "<f>"},
        Theirs{"platform_id", {literal(id, "0")}, id, "1"},
        Theirs{"platform_names", {literal(names, "localhost")}, names, "train-0.svc,train-1.svc"},
        Theirs{"platform_addresses",
               {literal(addresses, "localhost:8471,localhost")},
               addresses,
               "train-0.svc:8471,train-1.svc:8471"},
        Theirs{"platform_between_others",
               {literal("A", "0"), literal(id, "0"), literal("B", "$(A)")},
               id,
               "1"},
        Theirs{"id_00_is_theirs", {literal(id, "00")}, id, "00", "00 and stays"},
        Theirs{"two_localhosts_are_theirs",
               {literal(names, "localhost,localhost")},
               names,
               "localhost,localhost",
               "and stays"},
        Theirs{"mixed_addresses_are_theirs",
               {literal(addresses, "localhost:1,other:1")},
               addresses,
               "localhost:1,other:1"},
        Theirs{"last_counts", {literal(id, "0"), literal(id, "7")}, id, "7", "7 and stays"},
        Theirs{"last_counts_platform", {literal(id, "7"), literal(id, "0")}, id, "1"},
        Theirs{"last_counts_empty", {literal(id, "0"), literal(id, "")}, id, ""},
        Theirs{"last_counts_reference", {literal(id, "0"), from(id, "f")}, id, "<f>"},
        Theirs{"first_is_a_reference", {from(id, "f"), literal(id, "0")}, id, "1"},
        Theirs{"twice_the_default", {literal(id, "0"), literal(id, "0")}, id, "1"}),
    case_name);

TEST(PlatformDefaults, StayOnASingleHost) {
  const auto answer = admit(ironwood()
                                .topology("2x2x1")
                                .tpu(2)
                                .env(id, "0")
                                .env(names, "localhost")
                                .env(addresses, "localhost:1")
                                .container("b")
                                .tpu(2)
                                .env(id, "0"));
  EXPECT_EQ(effective(answer, id), "0");
  EXPECT_EQ(effective(answer, id, 1), "0");
  EXPECT_EQ(effective(answer, names), "localhost");
  EXPECT_EQ(effective(answer, addresses), "localhost:1");
  EXPECT_NE(answer.warning("TPU_WORKER_ID of container b is 0 and stays"), "");
}

TEST(PlatformDefaults, OfHostZeroAreRightAlready) {
  const auto answer = admit(a_pod().job("train", 0).topology("2x4").tpu(4).env(id, "0"));
  EXPECT_EQ(env_names(answer.object["spec"]["containers"][0]),
            (std::vector<std::string>{names, id}));
}

// --- Where entries go ---------------------------------------------------------------------------

TEST(EnvOrder, InFrontOfTheUsersInAFixedOrder) {
  const auto answer = admit(two_slices().env("A", "$(TPU_WORKER_ID)").env("B", "b"));
  EXPECT_EQ(env_names(answer.object["spec"]["containers"][0]),
            (std::vector<std::string>{"MEGASCALE_NUM_SLICES", "MEGASCALE_SLICE_ID",
                                      "MEGASCALE_COORDINATOR_ADDRESS", "MEGASCALE_PORT", names, id,
                                      "A", "B"}));
}

TEST(EnvOrder, AbsentNullAndEmptyListsAreMade) {
  const auto want = env_of(admit(two_slices()));
  EXPECT_EQ(env_of(admit(two_slices().set("/spec/containers/0/env", nullptr))), want);
  EXPECT_EQ(env_of(admit(two_slices().set("/spec/containers/0/env", json::array()))), want);
}

// Each way in which the two device plugin variables may already be there.
TEST(EnvOrder, TheHostIpPrecedesTheAddressThatNamesIt) {
  const char* const ip = "TPU_DEVICE_PLUGIN_HOST_IP";
  const char* const address = "TPU_DEVICE_PLUGIN_ADDR";
  const char* const ours = "$(TPU_DEVICE_PLUGIN_HOST_IP):2112";
  const std::vector<json> host_ips = {nullptr, from(ip, "status.hostIP"), from(ip, "status.podIP"),
                                      literal(ip, "10.0.0.1"), literal(ip, "")};
  const std::vector<json> addresses_there = {nullptr,
                                             literal(address, ours),
                                             literal(address, "$(TPU_DEVICE_PLUGIN_HOST_IP):9"),
                                             literal(address, "other:1"),
                                             literal(address, ""),
                                             from(address, "f")};
  for (const json& host_ip : host_ips)
    for (const json& there : addresses_there)
      for (const bool padded : {false, true})
        for (const bool twice : {false, true}) {
          auto pod = a_pod().ray("c", "g", 0, 1).topology("2x4").tpu(4);
          if (padded) pod.env("A", "a").env(id, "0");
          if (!host_ip.is_null()) pod.env_entry(host_ip);
          if (padded) pod.env("B", "b");
          if (twice && !host_ip.is_null()) pod.env_entry(host_ip);
          if (!there.is_null()) pod.env_entry(there);
          if (padded) pod.env("C", "c");
          const auto answer = admit(pod);
          const auto list = env_names(answer.object["spec"]["containers"][0]);
          const std::string said = host_ip.dump() + there.dump() + json(list).dump();
          const std::string value = effective(answer, address);
          EXPECT_EQ(std::count(list.begin(), list.end(), address), 1) << said;
          if (value.find("$(TPU_DEVICE_PLUGIN_HOST_IP)") == std::string::npos) continue;
          const auto last_ip = std::find(list.rbegin(), list.rend(), ip);
          ASSERT_NE(last_ip, list.rend()) << said;
          EXPECT_LT(list.rend() - last_ip - 1,
                    std::find(list.begin(), list.end(), address) - list.begin())
              << said;
        }
}

TEST(EnvOrder, OtherContainersKeepTheirs) {
  const auto pod =
      two_slices().env("A", "1").container("plain").env("A", "1").container("zero").tpu(0);
  const auto answer = admit(pod);
  EXPECT_EQ(answer.object["spec"]["containers"][1], pod.pod()["spec"]["containers"][1]);
  EXPECT_EQ(answer.object["spec"]["containers"][2], pod.pod()["spec"]["containers"][2]);
}

TEST(InitContainers, GetWhatTheProcessGets) {
  const auto answer = admit(
      two_slices().init_container("same").tpu(4).init_container("none").init_container("other").tpu(
          2));
  const json& init = answer.object["spec"]["initContainers"];
  EXPECT_EQ(init[0]["env"], answer.object["spec"]["containers"][0]["env"]);
  EXPECT_FALSE(init[1].contains("env"));
  EXPECT_FALSE(init[2].contains("env"));
}

// --- Ports ---------------------------------------------------------------------------------------

std::vector<std::string> ports_of(const Admitted& answer, std::size_t containers) {
  std::vector<std::string> ports;
  for (std::size_t i = 0; i < containers; ++i)
    ports.push_back(effective(answer, "TPU_PROCESS_PORT", i));
  ports.push_back(effective(answer, addresses));
  return ports;
}

using Ports = std::vector<std::string>;

TEST(ProcessPorts, OfTheUserAreAdopted) {
  const auto both = admit(ironwood()
                              .topology("2x2x1")
                              .tpu(2)
                              .env("TPU_PROCESS_PORT", "9100")
                              .container("b")
                              .tpu(2)
                              .env("TPU_PROCESS_PORT", "9200"));
  EXPECT_EQ(ports_of(both, 2), (Ports{"9100", "9200", "localhost:9100,localhost:9200"}));
}

// D7: "an existing port of the slice adopted".
TEST(ProcessPorts, OneOfTheUserSetsTheOthers) {
  const auto first = admit(
      ironwood().topology("2x2x1").tpu(2).env("TPU_PROCESS_PORT", "9000").container("b").tpu(2));
  EXPECT_EQ(ports_of(first, 2), (Ports{"9000", "9001", "localhost:9000,localhost:9001"}));
  const auto second = admit(
      ironwood().topology("2x2x1").tpu(2).container("b").tpu(2).env("TPU_PROCESS_PORT", "9000"));
  EXPECT_EQ(ports_of(second, 2), (Ports{"8999", "9000", "localhost:8999,localhost:9000"}));
}

// The other processes look for each at its entry of the list.
TEST(ProcessPorts, OfAListOfTheUserAreAdopted) {
  const char* list = "t-0.svc:9000,t-0.svc:9500,t-1.svc:9001,t-1.svc:9501";
  const auto pod = ironwood()
                       .job("t", 1)
                       .topology("2x2x2")
                       .tpu(2)
                       .env(addresses, list)
                       .container("b")
                       .tpu(2)
                       .env(addresses, list);
  EXPECT_EQ(ports_of(admit(pod), 2), (Ports{"9001", "9501", list}));
}

TEST(ProcessPorts, OfAListThatDoesNotFitAreNot) {
  for (const char* list : {"t-0.svc:9000", "t-0.svc:9000,t-1.svc:9000,x:9000", "t-0.svc:9000,t-1",
                           "t-0.svc:9000,t-1.svc:", "a,t-1.svc:0", ",", ""}) {
    const auto answer = admit(ironwood().job("t", 1).topology("2x2x2").tpu(4).env(addresses, list));
    EXPECT_EQ(effective(answer, "TPU_PROCESS_PORT"), "8471") << list;
  }
}

TEST(ProcessPorts, TheSameTwiceIsTold) {
  const auto answer = admit(ironwood()
                                .topology("2x2x1")
                                .tpu(2)
                                .env("TPU_PROCESS_PORT", "8471")
                                .container("b")
                                .tpu(2)
                                .env("TPU_PROCESS_PORT", "8471"));
  EXPECT_NE(answer.warning("the same TPU_PROCESS_PORT"), "");
}

TEST(ProcessPorts, AreNeverTheSameTwiceInAPod) {
  const auto first = admit(
      ironwood().topology("2x2x1").tpu(2).env("TPU_PROCESS_PORT", "8472").container("b").tpu(2));
  const auto second = admit(
      ironwood().topology("2x2x1").tpu(2).container("b").tpu(2).env("TPU_PROCESS_PORT", "8471"));
  for (const auto* answer : {&first, &second}) {
    const auto ports = ports_of(*answer, 2);
    EXPECT_TRUE(ports[0] != ports[1] || answer->warning("TPU_PROCESS_PORT") != "") << ports[2];
  }
}

TEST(ProcessPorts, ThereIsNoneAbove65535) {
  const auto answer = admit(
      ironwood().topology("2x2x1").tpu(2).env("TPU_PROCESS_PORT", "65535").container("b").tpu(2));
  EXPECT_EQ(effective(answer, addresses), "(absent)");
  EXPECT_NE(answer.warning("TPU_PROCESS_PORT"), "");
}

TEST(ProcessPorts, WhatIsNoPortLeavesTheListOut) {
  for (const json& entry : {literal("TPU_PROCESS_PORT", "0"), literal("TPU_PROCESS_PORT", "65536"),
                            literal("TPU_PROCESS_PORT", "http"), literal("TPU_PROCESS_PORT", ""),
                            from("TPU_PROCESS_PORT", "f")}) {
    const auto answer =
        admit(ironwood().topology("2x2x1").tpu(2).env_entry(entry).container("b").tpu(2));
    EXPECT_EQ(effective(answer, addresses), "(absent)") << entry;
    EXPECT_NE(answer.warning("TPU_PROCESS_PORT"), "") << entry;
  }
}

// --- The kernel's limit
// ------------------------------------------------------------------------------

// NAME=value bytes of a list of `hosts` names.
std::size_t list_bytes(std::size_t variable, std::size_t hosts, std::size_t stem, std::size_t tail,
                       std::size_t each = 1) {
  std::size_t bytes = variable + 1 + hosts * each - 1;  // '=' and commas
  for (std::size_t host = 0; host < hosts; ++host)
    bytes += each * (stem + 1 + std::to_string(host).size() + tail);
  return bytes;
}

struct Exact {
  std::string_view name;
  const char* variable;
  const char* accelerator;
  std::size_t containers;
  std::size_t hosts;
  std::size_t stem;
  std::size_t tail;  // ".svc" or ".svc:8471"
  std::size_t want;  // bytes
};

class ExactLimit : public testing::TestWithParam<Exact> {};

// 1xN on one chip a container, so that any number of hosts will do.
TEST_P(ExactLimit, IsTheKernels) {
  const Exact& c = GetParam();
  ASSERT_EQ(list_bytes(std::string_view(c.variable).size(), c.hosts, c.stem, c.tail, c.containers),
            c.want);
  auto pod = a_pod().job(std::string(c.stem, 'j'), 0).accelerator(c.accelerator).tpu(1);
  for (std::size_t i = 1; i < c.containers; ++i) pod.container("b").tpu(1);
  const auto answer = admit(pod.topology("1x" + std::to_string(c.hosts * c.containers)));
  EXPECT_EQ(answer.allowed, c.want <= 131'071) << answer.message;
  if (answer.allowed) {
    EXPECT_EQ(std::string_view(c.variable).size() + 1 + effective(answer, c.variable).size(),
              c.want);
  } else {
    EXPECT_EQ(answer.reason, Reason::too_long);
    EXPECT_NE(answer.message.find(std::string(c.variable) + " would be " + std::to_string(c.want) +
                                  " bytes"),
              std::string::npos)
        << answer.message;
    EXPECT_NE(answer.message.find("131071"), std::string::npos) << answer.message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Env, ExactLimit,
    testing::Values(Exact{"addresses_2360", addresses, "tpu7x", 1, 2360, 41, 9, 131'071},
                    Exact{"addresses_6608", addresses, "tpu7x", 1, 6608, 5, 9, 131'071},
                    Exact{"hostnames_3702", names, "tpu-next", 2, 3702, 8, 4, 131'072},
                    Exact{"hostnames_1851", names, "tpu-next", 2, 1851, 26, 4, 131'072},
                    Exact{"hostnames_1851_less", names, "tpu-next", 2, 1851, 25, 4, 127'370}),
    case_name);

struct Long {
  std::string_view name;
  const char* accelerator;
  const char* topology;
  std::size_t containers;
  std::size_t hosts;
  std::size_t stem;  // of the host names
};

class LongLists : public testing::TestWithParam<Long> {};

TEST_P(LongLists, FitOrAreDeniedWithTheArithmetic) {
  const Long& c = GetParam();
  auto pod =
      a_pod().accelerator(c.accelerator).topology(c.topology).job(std::string(c.stem, 'j'), 0);
  pod.tpu(4 / static_cast<int>(c.containers));
  for (std::size_t i = 1; i < c.containers; ++i)
    pod.container("b").tpu(4 / static_cast<int>(c.containers));
  const auto answer = admit(pod);
  const std::size_t hostnames =
      list_bytes(std::string_view(names).size(), c.hosts, c.stem, 4, c.containers);
  const std::size_t with_ports =
      list_bytes(std::string_view(addresses).size(), c.hosts, c.stem, 9, c.containers);
  const bool ironwood = std::string_view(c.accelerator) == "tpu7x";
  const std::size_t longest = ironwood ? std::max(hostnames, with_ports) : hostnames;
  const std::size_t first = hostnames > max_env_bytes ? hostnames : with_ports;
  EXPECT_EQ(answer.allowed, longest <= max_env_bytes) << answer.message;
  if (answer.allowed) {
    EXPECT_EQ(std::string_view(names).size() + 1 + effective(answer, names).size(), hostnames);
    if (ironwood) {
      EXPECT_EQ(std::string_view(addresses).size() + 1 + effective(answer, addresses).size(),
                with_ports);
    }
  } else {
    EXPECT_EQ(answer.reason, Reason::too_long);
    EXPECT_NE(answer.message.find(std::to_string(first) + " bytes"), std::string::npos)
        << answer.message;
    EXPECT_NE(answer.message.find(std::to_string(c.hosts) + " hosts"), std::string::npos)
        << answer.message;
    EXPECT_NE(answer.message.find(std::to_string(c.hosts * c.containers) + " processes"),
              std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Env, LongLists,
    testing::Values(Long{"v5p_short", "tpu-v5p-slice", "16x16x24", 1, 1536, 20},
                    Long{"v5p_longest", "tpu-v5p-slice", "16x16x24", 1, 1536, 58},
                    Long{"ironwood_short", "tpu7x", "16x24x24", 1, 2304, 20},
                    Long{"ironwood_names_fit", "tpu7x", "16x24x24", 1, 2304, 46},
                    Long{"ironwood_addresses_do_not", "tpu7x", "16x24x24", 1, 2304, 47},
                    Long{"ironwood_nothing_fits", "tpu7x", "16x24x24", 1, 2304, 58},
                    Long{"ironwood_two_short", "tpu7x", "16x24x24", 2, 2304, 1},
                    Long{"ironwood_two_fits", "tpu7x", "16x24x24", 2, 2304, 14},
                    Long{"ironwood_two_do_not", "tpu7x", "16x24x24", 2, 2304, 20}),
    case_name);

TEST(EnvLength, AMillionHostsAreDeniedWithoutBuildingAnything) {
  const auto answer = admit(a_pod().job("train", 0).accelerator("").topology("1024x1024").tpu(1));
  EXPECT_FALSE(answer.allowed);
  EXPECT_EQ(answer.reason, Reason::too_long);
}

// Each TPU container carries the list: their number bounds what an answer can weigh.
TEST(EnvLength, ManyContainersDoNotMultiplyTheList) {
  auto init = a_pod().job("j", 0).accelerator("").topology("1x10000").tpu(1);
  for (int i = 0; i < 2000; ++i) init.init_container("i" + std::to_string(i)).tpu(1);
  auto main = a_pod().ray("c", "g", 0, 0).accelerator("").topology("1024x1000").tpu(1);
  for (int i = 1; i < 1000; ++i) main.container("c" + std::to_string(i)).tpu(1);
  for (const auto& pod : {init, main}) {
    const auto answer = admit(pod);
    EXPECT_LT(answer.body.size(), 8u << 20);
    EXPECT_TRUE(answer.allowed);
    EXPECT_NE(answer.warning("containers"), "");
  }
}

// --- torch_tpu, on request ------------------------------------------------------------------

config::Config with_torch() {
  return {.torch_tpu = true};
}

// Both variables, as "TOPOLOGY ADDRESSES"; "(absent) (absent)" where there are none.
std::string torch_of(const PodBuilder& pod, const config::Config& config = with_torch()) {
  const Admitted answer = admit(pod, {.config = config});
  return effective(answer, "TORCH_TPU_TOPOLOGY") + " " +
         effective(answer, "TORCH_TPU_SLICEBUILDER_ADDRESSES");
}

const std::string no_torch = "(absent) (absent)";

// Values of the reference: workloads.md 1.4, consumers.md 3.6.
TEST(TorchTpu, HasAnAddressForEachDevice) {
  EXPECT_EQ(torch_of(a_pod().job("t", 1).topology("2x4").tpu(4)),
            "2,4,1 t-0.svc:8471,t-0.svc:8472,t-0.svc:8473,t-0.svc:8474,"
            "t-1.svc:8471,t-1.svc:8472,t-1.svc:8473,t-1.svc:8474");
  EXPECT_EQ(torch_of(a_pod().topology("2x4").tpu(8)),
            "2,4,1 localhost:8471,localhost:8472,localhost:8473,localhost:8474,localhost:8475,"
            "localhost:8476,localhost:8477,localhost:8478");
  EXPECT_EQ(torch_of(ironwood().topology("2x2x1").tpu(4)),
            "2,2,1,2 localhost:8471,localhost:8472,localhost:8473,localhost:8474,localhost:8475,"
            "localhost:8476,localhost:8477,localhost:8478");
  EXPECT_TRUE(torch_of(ironwood().job("t", 0).topology("2x2x2").tpu(4))
                  .starts_with("2,2,2,2 t-0.svc:8471,"));
}

TEST(TorchTpu, IsOnRequestAlone) {
  EXPECT_EQ(torch_of(a_pod().job("t", 1).topology("2x4").tpu(4), {}), no_torch);
}

TEST(TorchTpu, IsOfTheSubSlice) {
  EXPECT_TRUE(torch_of(a_pod()
                           .job("t", 1)
                           .topology("4x4")
                           .annotation("cloud.google.com/gke-tpu-slice-topology", "2x4")
                           .tpu(4))
                  .starts_with("2,4,1 t-0.svc:8471,"));
}

TEST(TorchTpu, NeedsATopologyAndNames) {
  EXPECT_EQ(torch_of(a_pod().job("t", 1).tpu(4)), no_torch);
  EXPECT_EQ(torch_of(a_pod().job("t", 1).topology("2x4").tpu(4).remove("/spec/subdomain")),
            no_torch);
  EXPECT_EQ(torch_of(a_pod().job("t", 1).tpu(4).annotation("tpu-webhook.dev/worker-count", "2")),
            no_torch);
}

TEST(TorchTpu, OfTheUserStays) {
  const PodBuilder pod = a_pod().job("t", 1).topology("2x4").tpu(4);
  EXPECT_EQ(torch_of(PodBuilder(pod).env("TORCH_TPU_TOPOLOGY", "4,2,1")), "4,2,1 (absent)");
  EXPECT_EQ(torch_of(PodBuilder(pod).env("TORCH_TPU_TOPOLOGY", "")), " (absent)");
  EXPECT_TRUE(torch_of(PodBuilder(pod).env("TORCH_TPU_TOPOLOGY", "2,4,1"))
                  .starts_with("2,4,1 t-0.svc:8471,"));
  EXPECT_EQ(torch_of(PodBuilder(pod).env("TORCH_TPU_SLICEBUILDER_ADDRESSES", "a:1")), "2,4,1 a:1");
}

TEST(TorchTpu, BeginsAtThePortOfTheSlice) {
  EXPECT_TRUE(torch_of(a_pod().topology("1x1").tpu(1), {.base_port = 9000, .torch_tpu = true})
                  .ends_with("localhost:9000"));
  EXPECT_TRUE(torch_of(a_pod().topology("2x2").tpu(4).env("TPU_PROCESS_PORT", "8476"))
                  .starts_with("2,2,1 localhost:8476,localhost:8477,"));
  const config::Config last{.base_port = 65533, .torch_tpu = true};
  const PodBuilder pod = a_pod().topology("2x2").tpu(4);
  EXPECT_EQ(torch_of(pod, last), no_torch);
  EXPECT_NE(
      admit(pod, {.config = last})
          .warning("4 ports from 65533 on, one for each device of a host, do not end at 65535"),
      "");
}

// A Pod of JAX must not be refused for a variable that only torch_tpu reads.
TEST(TorchTpu, IsLeftOutWhereTheKernelWouldNotTakeIt) {
  const std::string name(24, 'n');
  const PodBuilder pod =
      a_pod().accelerator("tpu-v5p-slice").job(name, 9).topology("16x16x16").tpu(4);
  const Admitted answer = admit(pod, {.config = with_torch()});
  EXPECT_EQ(answer.outcome, Outcome::patched);
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "9");
  EXPECT_EQ(torch_of(pod), no_torch);
  EXPECT_NE(answer.warning("bytes for 4096 devices on 1024 hosts, and the kernel takes 131071; no "
                           "variable of torch_tpu was injected"),
            "")
      << json(answer.warnings);
  EXPECT_NE(torch_of(a_pod().accelerator("tpu-v5p-slice").job("n", 9).topology("16x16x16").tpu(4)),
            no_torch);
}

TEST(TorchTpu, IsOnRecordAndStaysOnASecondPass) {
  const Admitted first =
      admit(ironwood().job("t", 1).topology("2x2x2").tpu(2).container("b").tpu(2),
            {.config = with_torch()});
  EXPECT_NE(annotation(first, "tpu-webhook.dev/injected").find("TORCH_TPU_TOPOLOGY="),
            std::string::npos);
  EXPECT_EQ(admit_pod(first.object, {.config = with_torch()}).outcome, Outcome::unchanged);
  // Nothing changed in between, so that another setting changes nothing either (DESIGN D4).
  EXPECT_EQ(admit_pod(first.object).outcome, Outcome::unchanged);
}

}  // namespace
}  // namespace tpuwh::webhook::decide
