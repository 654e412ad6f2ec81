// What stays, and where entries go (docs/decisions/0013).
#include "webhook/env/reconcile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/admitted.hpp"
#include "tests/unit/webhook/env/env_pods.hpp"

namespace tpuwh::webhook::env {
namespace {

using namespace test;
using namespace env_test;

// --- A value that is there --------------------------------------------------------------------

// Admits a Pod with the user's `entries`. Expects that they are kept in their order, that `want` is
// the effective value of `variable`, and that a warning contains `warning`. If `warning` is "",
// there must be no warning.
void expect_kept(const std::vector<json>& entries, const char* variable, const std::string& want,
                 std::string_view warning = "") {
  SCOPED_TRACE(json(entries).dump());
  auto pod = a_pod().job("train", 1).on("2x4", 4);
  for (const json& entry : entries) pod.env_entry(entry);
  const auto answer = admit(pod);
  EXPECT_EQ(effective(answer, variable), want);
  // Theirs are the end of the list, in their order, each name as often as before.
  const json& env = answer.object["spec"]["containers"][0]["env"];
  ASSERT_GE(env.size(), entries.size());
  const std::size_t front = env.size() - entries.size();
  std::size_t changed = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(env[front + i]["name"], entries[i]["name"]);
    changed += env[front + i] != entries[i] ? 1 : 0;
  }
  EXPECT_LE(changed, 1u);
  for (std::size_t i = 0; i < front; ++i)
    for (const json& entry : entries) EXPECT_NE(env[i]["name"], entry["name"]);
  if (warning.empty())
    EXPECT_TRUE(answer.warnings.empty()) << answer.warnings[0];
  else
    EXPECT_TRUE(has(answer.warnings, warning));
}

TEST(UsersValue, stays_where_it_is) {
  expect_kept({literal(id, "7")}, id, "7", "TPU_WORKER_ID of container main is 7 and was kept");
  expect_kept({literal(id, "1")}, id, "1");
  expect_kept({literal(id, "")}, id, "", "is empty and was kept");
  expect_kept({{{"name", id}}}, id, "", "is empty and was kept");
  expect_kept({literal(id, ""), literal(names, "")}, names, "");
  expect_kept({from(id, "f")}, id, "<f>");
  expect_kept({literal(id, "0")}, id, "1");
  expect_kept({literal(names, "localhost")}, names, "train-0.svc,train-1.svc");
  expect_kept({literal(addresses, "localhost:8471,localhost")}, addresses,
              "train-0.svc:8471,train-1.svc:8471");
  expect_kept({literal("A", "0"), literal(id, "0"), literal("B", "$(A)")}, id, "1");
  expect_kept({literal(id, "00")}, id, "00", "00 and was kept");
  expect_kept({literal(names, "localhost,localhost")}, names, "localhost,localhost",
              "and was kept");
  expect_kept({literal(addresses, "localhost:1,other:1")}, addresses, "localhost:1,other:1",
              "TPU_PROCESS_ADDRESSES of container main is localhost:1,other:1 and was kept");
  expect_kept({literal(id, "0"), literal(id, "7")}, id, "7", "7 and was kept");
  expect_kept({literal(id, "7"), literal(id, "0")}, id, "1");
  expect_kept({literal(id, "0"), literal(id, "")}, id, "", "is empty");
  expect_kept({literal(id, "0"), from(id, "f")}, id, "<f>");
  expect_kept({from(id, "f"), literal(id, "0")}, id, "1");
  expect_kept({literal(id, "0"), literal(id, "0")}, id, "1");
}

// Two long lists are mostly alike: of them the entries that differ are told.
TEST(UsersList, is_told_from_where_it_differs) {
  const auto told = [](const char* theirs) {  // ours is "train-0.svc,train-1.svc"
    return admit(a_pod().job("train", 1).on("2x4", 4).env(names, theirs)).warning("was kept");
  };
  EXPECT_TRUE(has(told("train-0.svc,train-1.svd"),
                  "is ...,train-1.svd and was kept; this Pod's place in the slice gives "
                  "...,train-1.svc"));
  for (const char* theirs : {"train-0.svc,train-2.svc", "train-0.svc,train-1.x"})
    EXPECT_TRUE(has(told(theirs), "is " + std::string(theirs) +
                                      " and was kept; this Pod's place in the slice gives "
                                      "train-0.svc,train-1.svc"));
  const auto one_name = admit(a_pod()
                                  .jobset("a-jobset-of-a-long-name", "r", 2, 1, 0)
                                  .on("2x4", 4)
                                  .env("MEGASCALE_COORDINATOR_ADDRESS", "a-jobset-of-a-long-name"));
  EXPECT_TRUE(has(one_name.warnings,
                  "is a-jobset-of-a-long-name and was kept; this Pod's place in the "
                  "slice gives a-jobset-of-a-long-name-r-0-0.a-"));
}

TEST(UsersValueOf, a_container_of_a_long_name_is_told_by_its_beginning) {
  for (const std::size_t size : {63u, 64u}) {
    const std::string name(size, 'c');
    auto pod = a_pod().job("train", 1).topology("2x4").container(name, 4).env(id, "7");
    EXPECT_EQ(admit(pod).warning(" of container " + name + " is 7") != "", size == 63);
  }
}

// By a longer name, with a port, or Pathways' head, which is of another replicated job.
TEST(UsersCoordinator, may_be_said_in_other_words) {
  const auto told = [](const char* variable, const char* value) {  // ours is "s-r-0-0.s"
    return admit(two_slices().env(variable, value)).warning("was kept") != "";
  };
  const char* const coordinator = "MEGASCALE_COORDINATOR_ADDRESS";
  for (const char* same : {"s-r-0-0.s:8080", "s-r-0-0.s.ml.svc", "s-r-0-0.s.ml.svc:9000",
                           "s-head-0-0.s", "s-head-0-0.s:8471"})
    EXPECT_FALSE(told(coordinator, same)) << same;
  for (const char* other : {"s-r-0-1.s", "s-r-0-0.st", "s-", "t-head-0-0.s", "t", "r-0-0.s:8080"})
    EXPECT_TRUE(told(coordinator, other)) << other;
  EXPECT_FALSE(told(names, "s-r-1-0.s.ml.svc,s-r-1-1.s.ml.svc"));
  EXPECT_TRUE(told(names, "s-r-1-0.s.ml.svc"));
  EXPECT_TRUE(told(names, "s-head-0-0.s"));
}

// Whichever variable it is, alone in its container: another value is another Pod.
TEST(TheRecord, is_of_what_the_user_wrote_too) {
  const auto record = [](std::string_view variable, const char* value) {
    return annotation(admit(a_pod().job("train", 1).on("2x4", 4).env(variable, value)),
                      "tpu-webhook.dev/injected");
  };
  for (const std::string_view variable : read::variable_names)
    EXPECT_NE(record(variable, "a"), record(variable, "b")) << variable;
}

// Of a Pod that is no part of them the number of slices says nothing.
TEST(TheRecord, is_not_of_slices_that_a_single_host_has_no_part_in) {
  const auto record = [](std::uint32_t slices) {
    auto pod = ironwood().jobset("s", "r", slices, 0, 0).on("2x2x1", 4);
    return annotation(admit(pod.label("jobset.sigs.k8s.io/job-index", "none")),
                      "tpu-webhook.dev/injected");
  };
  EXPECT_NE(record(2), "(absent)");
  EXPECT_EQ(record(2), record(3));
}

// LeaderWorkerSet's own webhook gives all subgroups of a group one TPU_NAME; it is right elsewhere.
TEST(LwsValue, is_theirs_by_name_alone) {
  const auto answer =
      admit(a_pod().lws("s", 0, 1, 3).on("2x4", 4).env("TPU_NAME", "s").env(id, "7"));
  EXPECT_EQ(effective(answer, "TPU_NAME"), "s");
  EXPECT_FALSE(has(answer.warnings, "TPU_NAME of container"));
  EXPECT_TRUE(has(answer.warnings, "TPU_WORKER_ID of container main is 7 and was kept"));
}

TEST(PlatformDefaults, stay_on_a_single_host) {
  const auto answer = admit(ironwood()
                                .on("2x2x1", 2)
                                .env(id, "0")
                                .env(names, "localhost")
                                .env(addresses, "localhost:1")
                                .container("b", 2)
                                .env(id, "0"));
  EXPECT_EQ(effective(answer, id), "0");
  EXPECT_EQ(effective(answer, id, 1), "0");
  EXPECT_EQ(effective(answer, names), "localhost");
  EXPECT_EQ(effective(answer, addresses), "localhost:1");
  EXPECT_TRUE(
      has(answer.warnings, "TPU_WORKER_HOSTNAMES of container main is localhost and was kept"));
  EXPECT_EQ(answer.warnings.size(), 1u);
}

TEST(PlatformDefaults, of_host_zero_are_right_already) {
  const auto answer = admit(a_pod().job("train", 0).on("2x4", 4).env(id, "0"));
  EXPECT_EQ(env_names(answer.object["spec"]["containers"][0]),
            (std::vector<std::string>{names, id}));
}

// --- Where entries go ---------------------------------------------------------------------------

TEST(EnvOrder, in_front_of_the_users_in_a_fixed_order) {
  const auto answer = admit(two_slices().env("A", "$(TPU_WORKER_ID)").env("B", "b"));
  EXPECT_EQ(env_names(answer.object["spec"]["containers"][0]),
            (std::vector<std::string>{"MEGASCALE_NUM_SLICES", "MEGASCALE_SLICE_ID",
                                      "MEGASCALE_COORDINATOR_ADDRESS", "MEGASCALE_PORT", names, id,
                                      "A", "B"}));
}

TEST(EnvOrder, absent_null_and_empty_lists_are_made) {
  const auto want = env_of(admit(two_slices()));
  EXPECT_EQ(env_of(admit(two_slices().set("/spec/containers/0/env", nullptr))), want);
  EXPECT_EQ(env_of(admit(two_slices().set("/spec/containers/0/env", json::array()))), want);
}

// Each way in which the two device plugin variables may already be there.
TEST(EnvOrder, the_host_ip_precedes_the_address_that_names_it) {
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
          auto pod = a_pod().ray("c", "g", 0, 1).on("2x4", 4);
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
          const bool left = there.is_null() && host_ip == literal(ip, "");
          EXPECT_EQ(std::count(list.begin(), list.end(), address), left ? 0 : 1) << said;
          if (value.find("$(TPU_DEVICE_PLUGIN_HOST_IP)") == std::string::npos) continue;
          const auto last_ip = std::find(list.rbegin(), list.rend(), ip);
          ASSERT_NE(last_ip, list.rend()) << said;
          EXPECT_LT(list.rend() - last_ip - 1,
                    std::find(list.begin(), list.end(), address) - list.begin())
              << said;
        }
}

// Whatever of ours in front of it goes at the same time.
TEST(EnvOrder, the_address_comes_right_behind_the_host_ip) {
  json pod =
      admit(a_pod().ray("c", "g", 1, 0).on("2x4", 4).env("MEGASCALE_NUM_SLICES", "2").env("A", "a"))
          .object;
  json& env = pod["spec"]["containers"][0]["env"];
  std::erase_if(env.get_ref<json::array_t&>(), [](const json& entry) {
    return entry["name"] == "MEGASCALE_NUM_SLICES" || entry["name"] == "TPU_DEVICE_PLUGIN_ADDR";
  });
  EXPECT_EQ(env_names(admit_pod(pod).object["spec"]["containers"][0]),
            (std::vector<std::string>{names, id, "TPU_NAME", "TPU_DEVICE_PLUGIN_HOST_IP",
                                      "TPU_DEVICE_PLUGIN_ADDR", "A"}));
}

TEST(EnvOrder, other_containers_keep_theirs) {
  const auto pod = two_slices().env("A", "1").container("plain").env("A", "1").container("zero", 0);
  const auto answer = admit(pod);
  EXPECT_EQ(answer.object["spec"]["containers"][1], pod.pod()["spec"]["containers"][1]);
  EXPECT_EQ(answer.object["spec"]["containers"][2], pod.pod()["spec"]["containers"][2]);
}

TEST(InitContainers, get_what_the_process_gets) {
  const auto answer = admit(
      two_slices().init_container("same", 4).init_container("none").init_container("other", 2));
  const json& init = answer.object["spec"]["initContainers"];
  EXPECT_EQ(init[0]["env"], answer.object["spec"]["containers"][0]["env"]);
  EXPECT_FALSE(init[1].contains("env"));
  EXPECT_FALSE(init[2].contains("env"));
}

}  // namespace
}  // namespace tpuwh::webhook::env
