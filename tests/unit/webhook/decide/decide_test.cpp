// What is denied, what is left alone and what is told (docs/decisions/0014).
#include "webhook/decide/decide.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/admitted.hpp"
#include "tests/support/named_case.hpp"

namespace tpuwh::webhook::decide {
namespace {

using namespace std::string_literals;
using namespace test;
using test::PrintTo;

const char* const job_index = "batch.kubernetes.io/job-completion-index";
const char* const slice_index = "jobset.sigs.k8s.io/job-index";
const char* const slice_count = "jobset.sigs.k8s.io/replicatedjob-replicas";
const char* const ray_replica = "ray.io/worker-group-replica-index";
const char* const ray_host = "ray.io/replica-host-index";

PodBuilder job() {
  return a_pod().job("train", 1).on("2x4", 4);
}
// Of nodes whose labels have these values.
PodBuilder on_nodes(PodBuilder pod, const std::vector<std::pair<const char*, json>>& labels) {
  json expressions = json::array();
  for (const auto& [key, values] : labels)
    expressions.push_back({{"key", key}, {"operator", "In"}, {"values", values}});
  return pod.set(
      "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
      "nodeSelectorTerms",
      json::array({{{"matchExpressions", expressions}}}));
}
PodBuilder jobset() {
  return a_pod().jobset("s", "r", 2, 1, 1).on("2x4", 4);
}
PodBuilder ray() {
  return a_pod().ray("c", "g", 1, 1).on("2x4", 4);
}

// --- Indices ------------------------------------------------------------------------------

struct IndexAt {
  std::string_view name;
  PodBuilder pod;
  std::string key;
  std::uint32_t bound;  // 0: none but 32 bits
};

class IndexLabels : public testing::TestWithParam<IndexAt> {};

TEST_P(IndexLabels, are_plain_decimals_below_their_bound) {
  const IndexAt& c = GetParam();
  const auto with = [&](const std::string& text) {
    return admit(PodBuilder(c.pod).label(c.key, text));
  };
  for (const std::string& bad :
       {"01"s, "00"s, "-1"s, "-0"s, "+1"s, " 1"s, "1 "s, "1e3"s, "1.0"s, "0x1"s, "1\0"s, "\n1"s,
        "4294967296"s, "18446744073709551616"s, std::string(300, '1'), "one"s, "\xd9\xa1"s, "null"s,
        ""s + char(0)}) {
    const auto answer = with(bad);
    EXPECT_FALSE(answer.allowed) << bad;
    EXPECT_EQ(answer.reason, Reason::bad_index) << bad;
    EXPECT_TRUE(has(answer.message, c.key));
    EXPECT_TRUE(has(answer.message, "whole number from 0 to"));
  }
  EXPECT_TRUE(with("0").allowed);
  EXPECT_TRUE(with("1").allowed);
  if (c.bound == 0) return;
  EXPECT_TRUE(with(std::to_string(c.bound - 1)).allowed);
  for (const std::string& beyond : {std::to_string(c.bound), "4294967295"s}) {
    const auto answer = with(beyond);
    EXPECT_FALSE(answer.allowed) << beyond;
    EXPECT_NE(answer.message.find('"' + beyond + '"'), std::string::npos) << answer.message;
    EXPECT_TRUE(has(answer.message, "0 to " + std::to_string(c.bound - 1)));
  }
}

// A host name follows the index where the Pod has none.
INSTANTIATE_TEST_SUITE_P(
    Decide, IndexLabels,
    testing::Values(
        IndexAt{"job", job().remove("/spec/hostname"), job_index, 2},
        IndexAt{"jobset_host", jobset().remove("/spec/hostname"), job_index, 2},
        IndexAt{"jobset_slice", jobset().remove("/spec/hostname"), slice_index, 2},
        IndexAt{"jobset_count", jobset().label(slice_index, "0").remove("/spec/hostname"),
                slice_count, 0},
        IndexAt{"ray_host", ray(), ray_host, 2}, IndexAt{"ray_replica", ray(), ray_replica, 0},
        IndexAt{"ray_replica_of_slices", ray().env("MEGASCALE_NUM_SLICES", "2"), ray_replica, 2},
        IndexAt{"jobset_group",
                jobset()
                    .label("jobset.sigs.k8s.io/group-name", "g")
                    .label("jobset.sigs.k8s.io/group-replicas", "4"),
                "jobset.sigs.k8s.io/job-group-index", 4}),
    case_name);

TEST(IndexMissing, is_left_alone_with_a_warning) {
  const auto check = [](const PodBuilder& pod, const std::string& key) {
    for (const json& value : {json(""), json(nullptr)}) {
      auto changed = PodBuilder(pod).label(key, value);
      if (key == job_index) changed.annotation(key, value);
      const auto answer = admit(changed);
      EXPECT_EQ(answer.reason, Reason::no_identity) << key;
      EXPECT_EQ(answer.patch, json::array());
      EXPECT_EQ(answer.warnings.size(), 1u);
      EXPECT_TRUE(has(answer.warnings, "nothing was injected"));
    }
  };
  check(job(), job_index);
  check(jobset(), job_index);
  check(jobset(), slice_index);
  check(jobset(), slice_count);
  check(jobset(), "jobset.sigs.k8s.io/replicatedjob-name");
  check(ray(), ray_host);
}

TEST(IndexOfOneHost, means_nothing) {
  // A work queue of single-host Pods has any number of completions.
  for (const char* index : {"0", "1", "57", "4294967296", "01", "-1", "x", ""}) {
    const auto answer = admit(a_pod().job("t", 0).on("2x2", 4).label(job_index, index));
    EXPECT_TRUE(answer.allowed) << index;
    EXPECT_TRUE(answer.warnings.empty()) << answer.warnings[0];
    const auto ironwood =
        admit(a_pod().job("t", 5).accelerator("tpu7x").on("2x2x1", 4).label(job_index, index));
    EXPECT_EQ(effective(ironwood, "TPU_WORKER_ID"), "0") << index;
    const auto slices =
        admit(a_pod().jobset("s", "r", 2, 1, 0).on("2x2", 4).label(job_index, index));
    EXPECT_TRUE(slices.allowed && slices.warnings.empty());
  }
  EXPECT_TRUE(admit(a_pod().owner("Job", "t", "u").on("2x2", 4)).warnings.empty())
      << "not indexed at all";
}

TEST(IndexOfOneHost, of_a_ray_worker_means_nothing) {
  const auto answer = admit(a_pod().ray("c", "g", 0, 7).on("2x2", 4));
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "0");
}

// --- What is not ours -----------------------------------------------------------------------

void expect_verdict(const PodBuilder& pod, Outcome outcome, Reason reason, std::string_view told) {
  SCOPED_TRACE(pod.pod().dump());
  const auto answer = admit(pod);
  EXPECT_EQ(answer.status, 200u) << answer.message;
  EXPECT_EQ(answer.outcome, outcome);
  EXPECT_EQ(answer.reason, reason) << outcome::name(answer.reason);
  if (told.empty())
    EXPECT_TRUE(answer.warnings.empty()) << answer.warnings[0];
  else if (outcome == Outcome::denied)
    EXPECT_TRUE(has(answer.message, told));
  else
    EXPECT_TRUE(has(answer.warnings, told));
  if (outcome != Outcome::patched) {
    EXPECT_EQ(answer.patch, json::array());
  }
}
// `told` is a part of the expected warning or denial, or "" if there must be none.
void expect_patched(const PodBuilder& pod, std::string_view told = "") {
  expect_verdict(pod, Outcome::patched, Reason::injected, told);
}
void expect_unchanged(const PodBuilder& pod, Reason reason, std::string_view told = "") {
  expect_verdict(pod, Outcome::unchanged, reason, told);
}
void expect_denied(const PodBuilder& pod, Reason reason, std::string_view told) {
  expect_verdict(pod, Outcome::denied, reason, told);
}

PodBuilder multi_host_pod() {
  return a_pod().on("2x4", 4);
}
const char* const sub_slice = "cloud.google.com/gke-tpu-slice-topology";
const char* const skip_check = "cloud.google.com/skip-tpu-webhook-check";
const std::string longest(63, 'a');
const std::string shown_of_longest =
    "TPU_PROCESS_ADDRESSES_PATH of container " + std::string(60, 'a') +
    "... names a file that JAX reads in place of the injected lists; it must name the 2 processes";

// No host has more chips.
TEST(Containers, sixteen_may_ask_for_chips) {
  for (const int count : {16, 17}) {
    PodBuilder pod = a_pod().job("t", 1).accelerator("tpu7x").on("2x2x4", 1);
    for (int i = 1; i < count; ++i) pod.container("c" + std::to_string(i), 1);
    const auto answer = admit(pod);
    EXPECT_EQ(answer.warning("more than 16 containers ask for google.com/tpu").empty(), count == 16)
        << answer.body;
    EXPECT_EQ(answer.reason == Reason::inconsistent, count == 17) << answer.body;
  }
}

TEST(Verdicts, that_patch) {
  expect_patched(job().ours("inject", "true"));
  expect_patched(job().annotation(skip_check, "true"));
  expect_patched(
      a_pod().job("t", 1).accelerator("tpu-v6-slice").on("2x4", 4),
      "TPU-107: the catalog has no accelerator tpu-v6-slice; did you mean tpu-v6e-slice?");
  expect_patched(a_pod().jobset("s", "r", 1, 0, 1).on("2x4", 4).env("MEGASCALE_NUM_SLICES", "2"),
                 "TPU-502: MEGASCALE_NUM_SLICES of container main is 2 and was kept; this Pod's "
                 "place in the slice gives 1");
  expect_patched(a_pod().job("t", 1).on("2x6", 4),
                 "TPU-106: the catalog has no topology 2x6 for tpu-v6e-slice");
  // The device plugin skips sub-slices that do not fit (docs/facts.md#sub-slice-shapes).
  expect_patched(a_pod().job("t", 1).topology("4x4").annotation(sub_slice, "2x4").tpu(4),
                 "TPU-111: nothing places the 2 Pods");
  expect_patched(a_pod().job("t", 1).topology("2x4").annotation(sub_slice, "2x4").tpu(4));
  expect_patched(a_pod().job("t", 1).annotation(sub_slice, "2x4").tpu(4));
  expect_patched(ray().set("/spec/hostname", "g-1-1"));
  expect_patched(a_pod().job(std::string(61, 'a'), 1).on("2x4", 4));
  // The longest host name just fits. Only the last of the eleven hosts has two digits.
  expect_patched(a_pod().job(std::string(60, 'a'), 1).on("2x22", 4),
                 "the catalog has no topology 2x22");
  expect_patched(job().set("/spec/subdomain", longest));
  expect_patched(a_pod().ray(std::string(54, 'c'), "g", 0, 0).on("2x4", 4));
  // The host names of these Pods do not resolve.
  expect_patched(job().set("/spec/hostnameOverride", "x"), "hostnameOverride");
  expect_patched(job().set("/spec/dnsPolicy", "Default"), "dnsPolicy Default");
  expect_patched(job().set("/spec/dnsPolicy", "None"),
                 "dnsPolicy None, and dnsConfig.searches has no");
  expect_patched(job()
                     .set("/spec/dnsPolicy", "None")
                     .set("/spec/dnsConfig/searches", json::array({"other.svc.cluster.local"})),
                 "dnsPolicy None, and dnsConfig.searches has no");
  expect_patched(job()
                     .set("/spec/dnsPolicy", "None")
                     .set("/spec/dnsConfig/searches", json::array({"default.svc.cluster.local"})));
  expect_patched(job()
                     .set("/spec/dnsPolicy", "None")
                     .set("/spec/dnsConfig/searches", json::array({"a.svc", "default.svc"})));
  expect_patched(job()
                     .set("/spec/dnsPolicy", "None")
                     .set("/spec/dnsConfig/searches", json::array({"default.service", "default"})),
                 "dnsPolicy None, and dnsConfig.searches has no");
  expect_patched(
      on_nodes(job(), {{"k", json::array({"default.svc"})}}).set("/spec/dnsPolicy", "None"),
      "dnsPolicy None, and dnsConfig.searches has no");
  expect_patched(on_nodes(job(), {{"k", json::array({"default.svc"})}})
                     .set("/spec/dnsPolicy", "None")
                     .set("/spec/dnsConfig/searches", json::array({"other.svc"})),
                 "dnsPolicy None, and dnsConfig.searches has no");
  expect_patched(
      job().set("/spec/hostNetwork", true).set("/spec/dnsPolicy", "ClusterFirstWithHostNet"));
  expect_patched(job().remove("/spec/dnsPolicy"));
  // A file replaces the lists of hosts, and the container's name is longer than an API server
  // accepts.
  expect_patched(a_pod()
                     .job("t", 1)
                     .on("2x4", 4)
                     .env("TPU_PROCESS_ADDRESSES_PATH", "/hosts")
                     .set("/spec/containers/0/name", longest + "a"),
                 shown_of_longest);
  expect_patched(a_pod().job("t", 1).on("2x4", 4).env("TPU_PROCESS_ADDRESSES_PATH", ""));
}

TEST(Verdicts, that_leave_alone) {
  expect_unchanged(a_pod().job("t", 1).on("2x4", 0), Reason::no_tpu);
  expect_unchanged(a_pod().job("t", 9).on("2x4", 4).ours("inject", "false"), Reason::opted_out);
  expect_unchanged(a_pod().on("", 4), Reason::no_topology, "no single TPU topology");
  expect_unchanged(multi_host_pod().owner("ReplicaSet", "d", "u"), Reason::no_identity,
                   "which host");
  expect_unchanged(a_pod().topology("2x4").init_container("i", 4), Reason::inconsistent,
                   "only init");
  expect_unchanged(job().set("/spec/containers/0/resources/requests/google.com~1tpu", "1"),
                   Reason::inconsistent, "request and limit");
  expect_unchanged(job().tpu(2).container("b", 2), Reason::inconsistent,
                   "TPU-109: 2 containers of this Pod ask for google.com/tpu; on tpu-v6e-slice one "
                   "container must ask");
  expect_unchanged(job().accelerator("tpu-v9").tpu(2).container("b", 2), Reason::inconsistent,
                   "and nothing says that its nodes are of tpu7");
  expect_unchanged(job().container("b", 1), Reason::inconsistent, "different numbers");
  expect_unchanged(a_pod().job("t", 1).topology("2x4").annotation(sub_slice, "4x4").tpu(4),
                   Reason::inconsistent, "not a sub-slice of the selected topology 2x4");
  expect_unchanged(a_pod().job("t", 1).topology("4x4").annotation(sub_slice, "2x2x1").tpu(4),
                   Reason::inconsistent, "not a sub-slice");
  expect_unchanged(a_pod().job("t", 1).topology("8x8").annotation(sub_slice, "4x2").tpu(4),
                   Reason::inconsistent, "not a sub-slice");
  expect_unchanged(a_pod().job("t", 1).topology("4x4").annotation(sub_slice, "two").tpu(4),
                   Reason::inconsistent, "two");
  expect_unchanged(a_pod().job("t", 1).topology("huge").annotation(sub_slice, "2x4").tpu(4),
                   Reason::inconsistent, "huge");
  expect_unchanged(
      a_pod().job("t", 1).selector("cloud.google.com/gke-tpu-slice-big-id", "x").tpu(4),
      Reason::inconsistent, "big");
  // Names.
  expect_unchanged(job().set("/spec/hostname", "mine"), Reason::inconsistent,
                   "spec.hostname is mine");
  expect_unchanged(ray().set("/spec/hostname", "mine"), Reason::inconsistent,
                   "spec.hostname is mine");
  expect_unchanged(a_pod().job(longest, 0).on("2x2", 4), Reason::single_host);
}

TEST(Verdicts, that_deny) {
  expect_denied(a_pod().job("t", 9).on("2x4", 4).annotation(skip_check, "false"), Reason::bad_index,
                "9");
  // These topologies, or these topologies with these chips, are impossible.
  expect_denied(a_pod().on("v6e-16", 4), Reason::bad_topology, "did you mean 4x4?");
  expect_denied(a_pod().accelerator("tpu-v9").on("v6e-16", 4), Reason::bad_topology, "v6e-16");
  expect_denied(a_pod().on("<topology>", 4), Reason::bad_topology,
                "topology <topology> contains a placeholder that was not filled in");
  expect_denied(a_pod().on("0x4", 4), Reason::bad_topology, "0x4");
  expect_denied(a_pod().on("-2x4", 4), Reason::bad_topology, "-2x4");
  expect_denied(a_pod().on("4294967296x4294967296", 4), Reason::bad_topology, "4294967296");
  expect_denied(a_pod().on("2x4", 3), Reason::bad_topology, "3");
  expect_denied(a_pod().on("2x2", 8), Reason::bad_topology, "8");
  expect_denied(a_pod().on("2x2", "4Gi"), Reason::bad_topology, "4294967296");
  expect_denied(a_pod().on("1x8", 4), Reason::bad_topology, "1x8");
  expect_denied(a_pod().jobset("s", "r", 1, 1, 1).on("2x4", 4), Reason::bad_index,
                "jobset.sigs.k8s.io/job-index is \"1\"");
  expect_denied(a_pod().job(std::string(62, 'a'), 1).on("2x4", 4), Reason::bad_name,
                "64 characters");
  // The name of host 0 fits, but the name of the last host is too long.
  expect_denied(a_pod().job(std::string(61, 'a'), 1).on("8x8", 4), Reason::bad_name,
                "64 characters");
  expect_denied(a_pod().job(std::string(61, 'a'), 1).on("2x22", 4), Reason::bad_name,
                "64 characters");
  expect_denied(a_pod().job("Train", 1).on("2x4", 4), Reason::bad_name, "not a DNS label");
  expect_denied(job().set("/spec/subdomain", longest + "a"), Reason::bad_name, "64 characters");
  expect_denied(job().set("/spec/subdomain", "a.b"), Reason::bad_name, "subdomain a.b");
  expect_denied(job().set("/spec/subdomain", "a\",\"b"), Reason::bad_name, "not a DNS label");
  expect_denied(a_pod().ray(std::string(55, 'c'), "g", 0, 0).on("2x4", 4), Reason::bad_name,
                "64 characters");
  expect_denied(a_pod().ray("c", std::string(60, 'g'), 0, 0).on("2x4", 4), Reason::bad_name,
                "64 characters");
  expect_denied(a_pod().ray("c", std::string(62, 'g'), 0, 0).on("2x2", 4), Reason::bad_name,
                "not a label value");
  // An amount of google.com/tpu that is not a number of chips is a fault of the Pod, so it is
  // denied.
  expect_denied(job().tpu("1500m"), Reason::bad_quantity, "1500m");
  expect_denied(job().tpu("-4"), Reason::bad_quantity, "-4");
  expect_denied(job().tpu("abc"), Reason::bad_quantity, "abc");
}

TEST(DecideNames, ray_workers_are_given_theirs) {
  const auto answer = admit(ray());
  EXPECT_EQ(answer.object["spec"]["hostname"], "g-1-1");
  EXPECT_EQ(answer.object["spec"]["subdomain"], "c-headless");
  const auto mine = admit(ray().set("/spec/subdomain", "mine"));
  EXPECT_EQ(mine.object["spec"]["subdomain"], "mine");
  EXPECT_EQ(effective(mine, "TPU_WORKER_HOSTNAMES"), "g-1-0.mine,g-1-1.mine");
}

TEST(DecideNames, other_workloads_are_not) {
  const auto answer = admit(job().remove("/spec/hostname"));
  EXPECT_FALSE(answer.object["spec"].contains("hostname"));
  EXPECT_FALSE(admit(job().remove("/spec/subdomain")).object["spec"].contains("subdomain"));
}

TEST(DecideLabels, rays_autoscaler_finds_replicas) {
  EXPECT_EQ(label(admit(ray()), "replicaIndex"), "g-1");
  EXPECT_EQ(label(admit(a_pod().ray("c", "g", 1, 0).on("2x2", 4)), "replicaIndex"), "g-1");
  const auto theirs = admit(ray().label("replicaIndex", "g-9"));
  EXPECT_EQ(label(theirs, "replicaIndex"), "g-9");
  EXPECT_TRUE(has(theirs.warnings, "replicaIndex is g-9 and was kept"));
  EXPECT_EQ(label(admit(job()), "replicaIndex"), "(absent)");
}

TEST(DecideWords, say_which_member_this_is) {
  EXPECT_EQ(annotation(admit(job()), "tpu-webhook.dev/slice"),
            "host 1 of 2, Job train: 2x4 of tpu-v6e-slice, 4 chips per host");
  EXPECT_EQ(annotation(admit(jobset()), "tpu-webhook.dev/slice"),
            "host 1 of 2, slice 1 of 2, JobSet s/r: 2x4 of tpu-v6e-slice, 4 chips per host");
  EXPECT_EQ(annotation(admit(ray()), "tpu-webhook.dev/slice"),
            "host 1 of 2, slice 1, RayCluster c/g: 2x4 of tpu-v6e-slice, 4 chips per host");
}

// An annotation is printed on terminals, and nothing has checked a label yet.
TEST(DecideWords, hold_nothing_that_a_terminal_obeys) {
  const std::pair<std::string, std::string> names[] = {
      {"a\"b\\c\n\x01"s, "a?b?c??"}, {"\0"s, "?"}, {"\xf0\x9f\x98\x80"s, "????"}};
  for (const auto& [text, said] : names) {
    const auto answer = admit(a_pod()
                                  .owner("Job", text, "u")
                                  .label(job_index, "0")
                                  .accelerator("tpu7x-" + text)
                                  .on("2x2x1", 4));
    EXPECT_EQ(annotation(answer, "tpu-webhook.dev/slice"),
              "host 0 of 1, Job " + said + ": 2x2x1 of tpu7x-" + said + ", 4 chips per host");
  }
}

// --- What is probably not meant -------------------------------------------------------------

TEST(Capacity, a_node_is_spot_or_flex_start) {
  const std::string spot = "cloud.google.com/gke-spot", flex = "cloud.google.com/gke-flex-start",
                    both = "cloud.google.com/gke-provisioning";
  const std::string said = "TPU-112: the Pod selects Spot nodes and flex-start nodes";
  EXPECT_TRUE(has(admit(job().selector(spot, "true").selector(flex, "true")).warnings, said));
  EXPECT_TRUE(has(admit(job().selector(both, "flex-start").selector(spot, "true")).warnings, said));
  EXPECT_TRUE(has(admit(job().selector(both, "spot").selector(flex, "true")).warnings, said));
  const std::string reservation = "cloud.google.com/reservation-name";
  EXPECT_TRUE(has(admit(job().selector(reservation, "r").selector(flex, "true")).warnings,
                  "the Pod selects flex-start nodes and nodes of a reservation"));
  for (const PodBuilder& fine :
       {job().selector(spot, "true"), job().selector(flex, "true").selector(both, "flex-start"),
        job().selector(spot, "true").selector(flex, "false"), job().selector(both, "spot")})
    EXPECT_FALSE(has(admit(fine).warnings, said)) << fine.pod().dump();
}

TEST(Capacity, is_read_from_required_affinity_of_one_value) {
  const auto with = [&](const json& spot) {
    return admit(on_nodes(job(), {{"cloud.google.com/gke-spot", spot},
                                  {"cloud.google.com/gke-flex-start", json::array({"true"})}}));
  };
  const std::string said = "TPU-112: the Pod selects Spot nodes and flex-start nodes";
  EXPECT_TRUE(has(with(json::array({"true"})).warnings, said));
  EXPECT_FALSE(has(with(json::array({"true", "false"})).warnings, said));
}

TEST(NodeSelector, that_required_affinity_excludes_is_told) {
  const char* const pool = "cloud.google.com/gke-nodepool";
  const PodBuilder of_a = job().selector(pool, "a");
  const auto said = [](const PodBuilder& pod) {
    return admit(pod).warning("no node matches both");
  };
  EXPECT_TRUE(has(said(on_nodes(of_a, {{pool, json::array({"b"})}})),
                  "the node selector asks for cloud.google.com/gke-nodepool=a, and the "
                  "required node affinity for other nodes"));
  EXPECT_EQ(said(on_nodes(of_a, {{pool, json::array({"b", "a"})}})), "");
  EXPECT_EQ(said(of_a), "");
}

// How many hosts there are is not known, so neither is which of them it is: told once, as one.
TEST(NodeShared, is_why_nothing_is_injected) {
  const auto answer = admit(a_pod().owner("Mine", "m", "u").on("4x4", 2));
  ASSERT_EQ(answer.warnings.size(), 1u);
  EXPECT_TRUE(has(answer.warnings[0], "ask for all chips of a node"));
  EXPECT_TRUE(has(answer.warnings[0], "nothing was injected"));
}

TEST(SubSlice, needs_somebody_who_places_it) {
  const std::string said = "TPU-111: nothing places the 2 Pods of sub-slice 2x4";
  const PodBuilder pod = a_pod()
                             .job("train", 1)
                             .on("4x4", 4)
                             .annotation("cloud.google.com/gke-tpu-slice-topology", "2x4");
  EXPECT_TRUE(has(admit(pod).warnings, said));
  for (const PodBuilder& placed :
       {PodBuilder(pod).annotation("kueue.x-k8s.io/podset-required-topology", "a/b"),
        PodBuilder(pod).label("kueue.x-k8s.io/queue-name", "q"),
        PodBuilder(pod).selector("cloud.google.com/gke-tpu-slice-2x4-id", "x"),
        PodBuilder(pod).annotation("cloud.google.com/gke-tpu-slice-topology", "4x4")})
    EXPECT_FALSE(has(admit(placed).warnings, said)) << placed.pod().dump();
}

// A cluster that knows the worker groups of Ray.
class RayHosts final : public read::ClusterView {
 public:
  explicit RayHosts(std::uint32_t hosts) : hosts_(hosts) {}
  std::optional<read::RayGroup> ray_group(std::string_view ns, std::string_view cluster,
                                          std::string_view group) const override {
    if (ns != "default" || cluster != "c" || group != "g") return std::nullopt;
    return read::RayGroup{.hosts = hosts_, .slices = 2};
  }

 private:
  std::uint32_t hosts_;
};

TEST(DecideWords, of_a_slice_that_has_no_accelerator) {
  const auto answer = admit(a_pod().job("train", 1).accelerator("").on("2x4", 4));
  EXPECT_EQ(annotation(answer, "tpu-webhook.dev/slice"),
            "host 1 of 2, Job train: 2x4, 4 chips per host");
}

TEST(RayGroup, of_other_slices_contradicts) {
  const RayHosts two(2), four(4);
  const PodBuilder pod = a_pod().ray("c", "g", 1, 1).on("2x4", 4);
  EXPECT_TRUE(admit(pod, {.cluster = &two}).warnings.empty());
  const auto answer = admit(pod, {.cluster = &four});
  EXPECT_EQ(answer.reason, Reason::inconsistent);
  EXPECT_TRUE(has(answer.warnings, "worker group g of RayCluster c has numOfHosts 4, but 2x4"));
}

// As many as there may be are too many for a list, and more are no number of hosts.
TEST(WorkerCount, is_no_more_than_there_are_chips_in_a_slice) {
  const auto reason = [](const char* count) {
    return admit(a_pod().job("t", 1).tpu(4).ours("worker-count", count)).reason;
  };
  EXPECT_EQ(reason("1048576"), Reason::too_long);
  EXPECT_EQ(reason("1048577"), Reason::bad_index);
  EXPECT_EQ(reason("0"), Reason::bad_index);
}

TEST(ComputeClass, a_ray_worker_has_as_many_hosts_as_its_group) {
  const RayHosts four(4);
  const PodBuilder pod = a_pod()
                             .ray("c", "g", 1, 2)
                             .accelerator("")
                             .selector("cloud.google.com/compute-class", "tpus")
                             .tpu(4);
  const auto answer = admit(pod, {.cluster = &four});
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "2");
  EXPECT_EQ(effective(answer, "TPU_WORKER_HOSTNAMES"),
            "g-1-0.c-headless,g-1-1.c-headless,g-1-2.c-headless,g-1-3.c-headless");
  EXPECT_EQ(annotation(answer, "tpu-webhook.dev/slice"),
            "host 2 of 4, slice 1, RayCluster c/g: 4 chips per host");
  EXPECT_TRUE(answer.warnings.empty()) << json(answer.warnings);
  EXPECT_TRUE(has(admit(pod).warnings, "TPU-105: "));
  const auto beyond =
      admit(PodBuilder(pod).label("ray.io/replica-host-index", "4"), {.cluster = &four});
  EXPECT_FALSE(beyond.allowed);
  // As many as there may be are too many for a list, and more are no number of hosts.
  const RayHosts most(topology::Dims::max_product), more(topology::Dims::max_product + 1);
  EXPECT_EQ(admit(pod, {.cluster = &most}).reason, Reason::too_long);
  EXPECT_TRUE(has(admit(pod, {.cluster = &more}).warnings, "TPU-105: "));
  // Without a class the nodes may be of any topology.
  EXPECT_TRUE(
      has(admit(a_pod().ray("c", "g", 1, 2).tpu(4), {.cluster = &four}).warnings, "TPU-105: "));
}

// --- Names ----------------------------------------------------------------------------------

// As KubeRay makes it without RayMultiHostIndexing.
PodBuilder ray_without_a_place() {
  return ray().without_place();
}

TEST(Names, that_are_no_labels_say_what_to_do) {
  const auto said = [](const PodBuilder& pod) { return admit(pod).message; };
  const auto named = [](const std::string& name) { return a_pod().job(name, 1).topology("2x4"); };
  const std::string long_name(64, 'x');
  EXPECT_TRUE(said(named(long_name).tpu(4))
                  .ends_with("has 66 characters, a DNS label has at most 63; shorten the name of "
                             "the workload or its "
                             "group"));
  EXPECT_TRUE(
      said(named("Train").tpu(4))
          .ends_with(
              "Train-1 is not a DNS label: lower-case letters, digits and inner dashes only"));
  EXPECT_TRUE(
      said(job().set("/spec/subdomain", long_name))
          .ends_with(
              "has 64 characters, a DNS label has at most 63; shorten the name of the workload"));
  EXPECT_TRUE(
      said(job().set("/spec/subdomain", "A"))
          .ends_with("subdomain A is not a DNS label, so no host of the slice would resolve"));
  EXPECT_TRUE(has(said(job().set("/spec/subdomain", "A" + std::string(62, 'x'))), "is not a DNS"));
}

TEST(Names, are_shown_up_to_a_hundred_characters) {
  const auto shown = [](const PodBuilder& pod, const std::string& name) {
    const auto answer = admit(pod);
    EXPECT_FALSE(answer.allowed) << name;
    return answer.message.find(name) != std::string::npos;
  };
  for (const std::string& begin : {""s, "<name>"s})
    for (const std::size_t size : {100u, 101u}) {
      const std::string name = begin + std::string(size - begin.size(), 'x');
      EXPECT_EQ(shown(job().set("/spec/subdomain", name), name), size == 100);
      EXPECT_EQ(shown(ray_without_a_place().label("ray.io/group", name), name), size == 100);
    }
}

TEST(Names, of_hosts_are_given_once) {
  const auto said = [](const char* hostnames) {
    return admit(a_pod()
                     .owner("Mine", "m", "u")
                     .set("/spec/hostname", "p")
                     .on("4x4", 4)
                     .ours("worker-id", "1")
                     .ours("hostnames", hostnames))
        .warning("annotation hostnames");
  };
  EXPECT_EQ(said("a,b,c,d"), "");
  EXPECT_TRUE(has(said("p,b,c,d"), "has this Pod, p, as host 0, but it is host 1"));
  EXPECT_TRUE(has(said("b,a,c,b"), "has b twice"));
}

TEST(JobSetGroup, of_several_jobs_is_told_that_nothing_says_where_they_meet) {
  const auto said = [](const char* slices) {
    return admit(a_pod()
                     .jobset("s", "r", 1, 0, 1)
                     .on("2x4", 4)
                     .label("jobset.sigs.k8s.io/group-name", "g")
                     .label("jobset.sigs.k8s.io/group-replicas", slices)
                     .label("jobset.sigs.k8s.io/job-group-index", "0"))
        .warning("slices of this group are several replicated jobs");
  };
  EXPECT_EQ(said("1"), "");
  EXPECT_TRUE(has(said("2"), "the 2 slices of this group"));
}

TEST(OwnersUid, is_no_longer_than_what_is_kept_of_it) {
  const auto with = [](std::size_t size) {
    return admit(ray_without_a_place().owner("RayCluster", "c", std::string(size, 'u')));
  };
  EXPECT_TRUE(with(128).allowed);
  EXPECT_TRUE(with(129).message.ends_with("has 129 bytes, the API server's have 36"));
}

// --- The slice of the Pod before -------------------------------------------------------------

TEST(KeptSlice, is_of_a_pod_that_asks_for_the_same) {
  const PodBuilder two_chips = a_pod().accelerator("tpu7x").on("2x2x1", 2);
  const std::string reviews[] = {two_chips.review(),
                                 PodBuilder(two_chips).container("b", 2).review(),
                                 job().review(),
                                 job().accelerator("").review(),
                                 job().accelerator("tpu-v5-lite-podslice").review(),
                                 job().topology("4x4").review(),
                                 job().tpu(8).review()};
  const auto body = [](std::string review, answer::Workspace& workspace) {
    return std::string(answer::admit(read::Body(review), {}, read::NoCluster(), workspace).body);
  };
  for (const std::string& before : reviews)
    for (const std::string& review : reviews) {
      answer::Workspace fresh, shared;
      body(before, shared);
      EXPECT_EQ(body(review, shared), body(review, fresh)) << review;
    }
}

TEST(MegascalePort, may_be_any_that_all_slices_have) {
  const auto with = [](PodBuilder pod) {
    return admit(pod.env("MEGASCALE_PORT", "9915")).warning("MEGASCALE_PORT");
  };
  EXPECT_EQ(with(jobset()), "");
  EXPECT_EQ(with(jobset().accelerator("tpu7x").topology("2x2x2")), "");
  EXPECT_TRUE(has(admit(jobset().env("MEGASCALE_PORT", "http")).warnings, "MEGASCALE_PORT"));
  EXPECT_TRUE(has(admit(jobset().env("MEGASCALE_PORT", "0")).warnings, "MEGASCALE_PORT"));
}

}  // namespace
}  // namespace tpuwh::webhook::decide
