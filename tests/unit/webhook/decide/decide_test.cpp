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
using test::a_pod;
using test::admit;
using test::case_name;
using test::json;
using test::PodBuilder;
using test::PrintTo;

const char* const job_index = "batch.kubernetes.io/job-completion-index";
const char* const slice_index = "jobset.sigs.k8s.io/job-index";
const char* const slice_count = "jobset.sigs.k8s.io/replicatedjob-replicas";
const char* const ray_replica = "ray.io/worker-group-replica-index";
const char* const ray_host = "ray.io/replica-host-index";

PodBuilder job() {
  return a_pod().job("train", 1).topology("2x4").tpu(4);
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
  return a_pod().jobset("s", "r", 2, 1, 1).topology("2x4").tpu(4);
}
PodBuilder ray() {
  return a_pod().ray("c", "g", 1, 1).topology("2x4").tpu(4);
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
    EXPECT_EQ(answer.reason, outcome::Reason::bad_index) << bad;
    EXPECT_NE(answer.message.find(c.key), std::string::npos) << answer.message;
    EXPECT_NE(answer.message.find("whole number from 0 to"), std::string::npos) << answer.message;
  }
  EXPECT_TRUE(with("0").allowed);
  EXPECT_TRUE(with("1").allowed);
  if (c.bound == 0) return;
  EXPECT_TRUE(with(std::to_string(c.bound - 1)).allowed);
  for (const std::string& beyond : {std::to_string(c.bound), "4294967295"s}) {
    const auto answer = with(beyond);
    EXPECT_FALSE(answer.allowed) << beyond;
    EXPECT_NE(answer.message.find('"' + beyond + '"'), std::string::npos) << answer.message;
    EXPECT_NE(answer.message.find("0 to " + std::to_string(c.bound - 1)), std::string::npos)
        << answer.message;
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
      EXPECT_EQ(answer.reason, outcome::Reason::no_identity) << key;
      EXPECT_EQ(answer.patch, json::array());
      EXPECT_EQ(answer.warnings.size(), 1u);
      EXPECT_NE(answer.warning("nothing was injected"), "");
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
    const auto answer = admit(a_pod().job("t", 0).topology("2x2").tpu(4).label(job_index, index));
    EXPECT_TRUE(answer.allowed) << index;
    EXPECT_TRUE(answer.warnings.empty()) << answer.warnings[0];
    const auto ironwood = admit(
        a_pod().job("t", 5).accelerator("tpu7x").topology("2x2x1").tpu(4).label(job_index, index));
    EXPECT_EQ(test::effective(ironwood, "TPU_WORKER_ID"), "0") << index;
    const auto slices =
        admit(a_pod().jobset("s", "r", 2, 1, 0).topology("2x2").tpu(4).label(job_index, index));
    EXPECT_TRUE(slices.allowed && slices.warnings.empty());
  }
  EXPECT_TRUE(admit(a_pod().owner("Job", "t", "u").topology("2x2").tpu(4)).warnings.empty())
      << "not indexed at all";
}

TEST(IndexOfOneHost, of_a_ray_worker_means_nothing) {
  const auto answer = admit(a_pod().ray("c", "g", 0, 7).topology("2x2").tpu(4));
  EXPECT_EQ(test::effective(answer, "TPU_WORKER_ID"), "0");
}

// --- What is not ours -----------------------------------------------------------------------

struct Verdict {
  std::string_view name;
  PodBuilder pod;
  outcome::Outcome outcome;
  outcome::Reason reason;
  const char* told = "";  // part of the warning or of the denial; "" for neither
};

class Verdicts : public testing::TestWithParam<Verdict> {};

TEST_P(Verdicts, with_their_reason) {
  const auto answer = admit(GetParam().pod);
  EXPECT_EQ(answer.status, 200u) << answer.message;
  EXPECT_EQ(answer.outcome, GetParam().outcome);
  EXPECT_EQ(answer.reason, GetParam().reason) << outcome::name(answer.reason);
  const std::string_view told = GetParam().told;
  if (told.empty()) {
    EXPECT_TRUE(answer.warnings.empty()) << answer.warnings[0];
  } else if (answer.outcome == outcome::Outcome::denied) {
    EXPECT_NE(answer.message.find(told), std::string::npos) << answer.message;
  } else {
    EXPECT_NE(answer.warning(told), "") << json(answer.warnings);
  }
  if (answer.outcome != outcome::Outcome::patched) {
    EXPECT_EQ(answer.patch, json::array());
  }
}

using enum outcome::Outcome;

PodBuilder multi_host_pod() {
  return a_pod().topology("2x4").tpu(4);
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
    PodBuilder pod = a_pod().job("t", 1).accelerator("tpu7x").topology("2x2x4").tpu(1);
    for (int i = 1; i < count; ++i) pod.container("c" + std::to_string(i)).tpu(1);
    const auto answer = admit(pod);
    EXPECT_EQ(answer.warning("more than 16 containers ask for google.com/tpu").empty(), count == 16)
        << answer.body;
    EXPECT_EQ(answer.reason == outcome::Reason::inconsistent, count == 17) << answer.body;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Decide, Verdicts,
    testing::Values(
        Verdict{"no_tpu", a_pod().job("t", 1).topology("2x4"), unchanged, outcome::Reason::no_tpu},
        Verdict{"zero_tpu", a_pod().job("t", 1).topology("2x4").tpu(0), unchanged,
                outcome::Reason::no_tpu},
        Verdict{"opted_out", job().annotation("tpu-webhook.dev/inject", "false"), unchanged,
                outcome::Reason::opted_out},
        Verdict{"not_opted_out", job().annotation("tpu-webhook.dev/inject", "true"), patched,
                outcome::Reason::injected},
        Verdict{"opted_out_of_a_denial",
                a_pod().job("t", 9).topology("2x4").tpu(4).annotation("tpu-webhook.dev/inject",
                                                                      "false"),
                unchanged, outcome::Reason::opted_out},
        Verdict{"skips_the_check", job().annotation(skip_check, "true"), patched,
                outcome::Reason::injected},
        Verdict{"skips_the_check_that_would_deny",
                a_pod().job("t", 9).topology("2x4").tpu(4).annotation(skip_check, "true"),
                unchanged, outcome::Reason::bad_index,
                "not denied, because annotation cloud.google.com/skip-tpu-webhook-check is "
                "\"true\": "},
        Verdict{"skips_no_check",
                a_pod().job("t", 9).topology("2x4").tpu(4).annotation(skip_check, "false"), denied,
                outcome::Reason::bad_index, "9"},
        Verdict{"single_host", a_pod().topology("2x2").tpu(4), unchanged,
                outcome::Reason::single_host},
        Verdict{"no_topology", a_pod().tpu(4), unchanged, outcome::Reason::no_topology,
                "no single TPU topology"},
        Verdict{"empty_topology", a_pod().topology("").tpu(4), unchanged,
                outcome::Reason::no_topology, "no single TPU topology"},
        Verdict{"plain_multi_host", multi_host_pod(), unchanged, outcome::Reason::no_identity,
                "which host of the slice"},
        Verdict{"deployment_multi_host", multi_host_pod().owner("ReplicaSet", "d", "u"), unchanged,
                outcome::Reason::no_identity, "which host"},
        Verdict{"job_not_indexed", multi_host_pod().owner("Job", "t", "u"), unchanged,
                outcome::Reason::no_identity, "completionMode: Indexed"},
        Verdict{"only_init", a_pod().topology("2x4").init_container("i").tpu(4), unchanged,
                outcome::Reason::inconsistent, "only init"},
        Verdict{"request_and_limit",
                job().set("/spec/containers/0/resources/requests/google.com~1tpu", "1"), unchanged,
                outcome::Reason::inconsistent, "request and limit"},
        Verdict{"two_containers", job().tpu(2).container("b").tpu(2), unchanged,
                outcome::Reason::inconsistent,
                "TPU-109: 2 containers of this Pod ask for google.com/tpu; on tpu-v6e-slice one "
                "container must ask"},
        Verdict{"two_containers_of_nodes_unknown",
                job().accelerator("tpu-v9").tpu(2).container("b").tpu(2), unchanged,
                outcome::Reason::inconsistent, "and nothing says that its nodes are of tpu7"},
        Verdict{"unequal_containers", job().container("b").tpu(1), unchanged,
                outcome::Reason::inconsistent, "different numbers"},
        // Topologies that cannot be.
        Verdict{"upper_case", a_pod().topology("2X4").tpu(4), denied, outcome::Reason::bad_topology,
                "2x4"},
        Verdict{"word", a_pod().topology("four").tpu(4), denied, outcome::Reason::bad_topology,
                "four"},
        Verdict{"accelerator_type", a_pod().topology("v6e-16").tpu(4), denied,
                outcome::Reason::bad_topology, "did you mean 4x4?"},
        Verdict{"word_of_an_unknown_accelerator",
                a_pod().accelerator("tpu-v9").topology("v6e-16").tpu(4), denied,
                outcome::Reason::bad_topology, "v6e-16"},
        Verdict{"topology_not_filled_in", a_pod().topology("<topology>").tpu(4), denied,
                outcome::Reason::bad_topology,
                "topology <topology> contains a placeholder that was not filled in"},
        Verdict{"one_number", a_pod().topology("8").tpu(4), denied, outcome::Reason::bad_topology,
                "8"},
        Verdict{"zero", a_pod().topology("0x4").tpu(4), denied, outcome::Reason::bad_topology,
                "0x4"},
        Verdict{"negative", a_pod().topology("-2x4").tpu(4), denied, outcome::Reason::bad_topology,
                "-2x4"},
        Verdict{"overflow", a_pod().topology("4294967296x4294967296").tpu(4), denied,
                outcome::Reason::bad_topology, "4294967296"},
        Verdict{"three_chips", a_pod().topology("2x4").tpu(3), denied,
                outcome::Reason::bad_topology, "3"},
        Verdict{"more_chips_than_slice", a_pod().topology("2x2").tpu(8), denied,
                outcome::Reason::bad_topology, "8"},
        Verdict{"gibi_chips", a_pod().topology("2x2").tpu("4Gi"), denied,
                outcome::Reason::bad_topology, "4294967296"},
        Verdict{"bounds", a_pod().topology("1x8").tpu(4), denied, outcome::Reason::bad_topology,
                "1x8"},
        Verdict{
            "unknown_accelerator", a_pod().job("t", 1).accelerator("tpu-v9").topology("2x4").tpu(4),
            patched, outcome::Reason::injected,
            "TPU-107: the catalog has no accelerator tpu-v9; by arithmetic 2x4 with 4 chips per "
            "Pod has 2 hosts"},
        Verdict{
            "misspelled_accelerator",
            a_pod().job("t", 1).accelerator("tpu-v6-slice").topology("2x4").tpu(4), patched,
            outcome::Reason::injected,
            "TPU-107: the catalog has no accelerator tpu-v6-slice; did you mean tpu-v6e-slice?"},
        Verdict{"the_only_slice", a_pod().jobset("s", "r", 1, 0, 1).topology("2x4").tpu(4), patched,
                outcome::Reason::injected},
        Verdict{"behind_the_only_slice", a_pod().jobset("s", "r", 1, 1, 1).topology("2x4").tpu(4),
                denied, outcome::Reason::bad_index, "jobset.sigs.k8s.io/job-index is \"1\""},
        Verdict{"another_number_of_slices",
                a_pod()
                    .jobset("s", "r", 1, 0, 1)
                    .topology("2x4")
                    .tpu(4)
                    .env("MEGASCALE_NUM_SLICES", "2"),
                patched, outcome::Reason::injected,
                "TPU-502: MEGASCALE_NUM_SLICES of container main is 2 and was kept; this Pod's "
                "place in the slice gives 1"},
        Verdict{"unlisted_shape", a_pod().job("t", 1).topology("2x6").tpu(4), patched,
                outcome::Reason::injected,
                "TPU-106: the catalog has no topology 2x6 for tpu-v6e-slice"},
        // Sub-slices that do not fit are passed over by the device plugin
        // (docs/facts.md#sub-slice-shapes).
        Verdict{"sub_slice",
                a_pod().job("t", 1).topology("4x4").annotation(sub_slice, "2x4").tpu(4), patched,
                outcome::Reason::injected, "TPU-111: nothing places the 2 Pods"},
        Verdict{"sub_slice_is_the_whole",
                a_pod().job("t", 1).topology("2x4").annotation(sub_slice, "2x4").tpu(4), patched,
                outcome::Reason::injected},
        Verdict{"sub_slice_too_large",
                a_pod().job("t", 1).topology("2x4").annotation(sub_slice, "4x4").tpu(4), unchanged,
                outcome::Reason::inconsistent, "not a sub-slice of the selected topology 2x4"},
        Verdict{"sub_slice_of_other_rank",
                a_pod().job("t", 1).topology("4x4").annotation(sub_slice, "2x2x1").tpu(4),
                unchanged, outcome::Reason::inconsistent, "not a sub-slice"},
        Verdict{"sub_slice_no_such_shape",
                a_pod().job("t", 1).topology("8x8").annotation(sub_slice, "4x2").tpu(4), unchanged,
                outcome::Reason::inconsistent, "not a sub-slice"},
        Verdict{"sub_slice_garbage",
                a_pod().job("t", 1).topology("4x4").annotation(sub_slice, "two").tpu(4), unchanged,
                outcome::Reason::inconsistent, "two"},
        Verdict{"sub_slice_of_garbage",
                a_pod().job("t", 1).topology("huge").annotation(sub_slice, "2x4").tpu(4), unchanged,
                outcome::Reason::inconsistent, "huge"},
        Verdict{"dynamic_slice", a_pod().job("t", 1).annotation(sub_slice, "2x4").tpu(4), patched,
                outcome::Reason::injected},
        Verdict{"slice_key_garbage",
                a_pod().job("t", 1).selector("cloud.google.com/gke-tpu-slice-big-id", "x").tpu(4),
                unchanged, outcome::Reason::inconsistent, "big"},
        // Names.
        Verdict{"no_subdomain", job().remove("/spec/subdomain"), patched, outcome::Reason::injected,
                "no spec.subdomain"},
        Verdict{"other_hostname", job().set("/spec/hostname", "mine"), unchanged,
                outcome::Reason::inconsistent, "spec.hostname is mine"},
        Verdict{"ray_other_hostname", ray().set("/spec/hostname", "mine"), unchanged,
                outcome::Reason::inconsistent, "spec.hostname is mine"},
        Verdict{"ray_same_hostname", ray().set("/spec/hostname", "g-1-1"), patched,
                outcome::Reason::injected},
        Verdict{"host_name_63", a_pod().job(std::string(61, 'a'), 1).topology("2x4").tpu(4),
                patched, outcome::Reason::injected},
        Verdict{"host_name_64", a_pod().job(std::string(62, 'a'), 1).topology("2x4").tpu(4), denied,
                outcome::Reason::bad_name, "64 characters"},
        // Host 0 fits, the last host does not.
        Verdict{"last_host_name_64", a_pod().job(std::string(61, 'a'), 1).topology("8x8").tpu(4),
                denied, outcome::Reason::bad_name, "64 characters"},
        // By a digit: of eleven hosts the last alone has two.
        Verdict{"last_of_eleven_63", a_pod().job(std::string(60, 'a'), 1).topology("2x22").tpu(4),
                patched, outcome::Reason::injected, "the catalog has no topology 2x22"},
        Verdict{"last_of_eleven_64", a_pod().job(std::string(61, 'a'), 1).topology("2x22").tpu(4),
                denied, outcome::Reason::bad_name, "64 characters"},
        Verdict{"upper_case_job", a_pod().job("Train", 1).topology("2x4").tpu(4), denied,
                outcome::Reason::bad_name, "not a DNS label"},
        Verdict{"job_with_dot", a_pod().job("a.b", 1).topology("2x4").tpu(4), denied,
                outcome::Reason::bad_name, "not a DNS label"},
        Verdict{"job_with_nul", a_pod().job("a\0b"s, 1).topology("2x4").tpu(4), denied,
                outcome::Reason::bad_name, "not a DNS label"},
        Verdict{"job_with_quote", a_pod().job("a\"b", 1).topology("2x4").tpu(4), denied,
                outcome::Reason::bad_name, "not a DNS label"},
        Verdict{"subdomain_63", job().set("/spec/subdomain", longest), patched,
                outcome::Reason::injected},
        Verdict{"subdomain_64", job().set("/spec/subdomain", longest + "a"), denied,
                outcome::Reason::bad_name, "64 characters"},
        Verdict{"subdomain_with_dot", job().set("/spec/subdomain", "a.b"), denied,
                outcome::Reason::bad_name, "subdomain a.b"},
        Verdict{"subdomain_quote", job().set("/spec/subdomain", "a\",\"b"), denied,
                outcome::Reason::bad_name, "not a DNS label"},
        Verdict{"long_ray_cluster",
                a_pod().ray(std::string(55, 'c'), "g", 0, 0).topology("2x4").tpu(4), denied,
                outcome::Reason::bad_name, "64 characters"},
        Verdict{"longest_ray_cluster",
                a_pod().ray(std::string(54, 'c'), "g", 0, 0).topology("2x4").tpu(4), patched,
                outcome::Reason::injected},
        Verdict{"long_ray_group",
                a_pod().ray("c", std::string(60, 'g'), 0, 0).topology("2x4").tpu(4), denied,
                outcome::Reason::bad_name, "64 characters"},
        Verdict{"long_ray_group_of_one_host",
                a_pod().ray("c", std::string(62, 'g'), 0, 0).topology("2x2").tpu(4), denied,
                outcome::Reason::bad_name, "not a label value"},
        Verdict{"long_names_of_one_host", a_pod().job(longest, 0).topology("2x2").tpu(4), unchanged,
                outcome::Reason::single_host},
        // Names that do not resolve.
        Verdict{"hostname_override", job().set("/spec/hostnameOverride", "x"), patched,
                outcome::Reason::injected, "hostnameOverride"},
        Verdict{"dns_default", job().set("/spec/dnsPolicy", "Default"), patched,
                outcome::Reason::injected, "dnsPolicy Default"},
        Verdict{"dns_none", job().set("/spec/dnsPolicy", "None"), patched,
                outcome::Reason::injected, "dnsPolicy None, and dnsConfig.searches has no"},
        Verdict{"dns_none_of_another_namespace",
                job()
                    .set("/spec/dnsPolicy", "None")
                    .set("/spec/dnsConfig/searches", json::array({"other.svc.cluster.local"})),
                patched, outcome::Reason::injected,
                "dnsPolicy None, and dnsConfig.searches has no"},
        Verdict{"dns_none_with_all_it_needs",
                job()
                    .set("/spec/dnsPolicy", "None")
                    .set("/spec/dnsConfig/searches", json::array({"default.svc.cluster.local"})),
                patched, outcome::Reason::injected},
        Verdict{"dns_none_without_a_cluster_domain",
                job()
                    .set("/spec/dnsPolicy", "None")
                    .set("/spec/dnsConfig/searches", json::array({"a.svc", "default.svc"})),
                patched, outcome::Reason::injected},
        Verdict{"dns_none_of_another_domain",
                job()
                    .set("/spec/dnsPolicy", "None")
                    .set("/spec/dnsConfig/searches", json::array({"default.service", "default"})),
                patched, outcome::Reason::injected,
                "dnsPolicy None, and dnsConfig.searches has no"},
        Verdict{
            "dns_none_without_config_and_the_domain_elsewhere",
            on_nodes(job(), {{"k", json::array({"default.svc"})}}).set("/spec/dnsPolicy", "None"),
            patched, outcome::Reason::injected, "dnsPolicy None, and dnsConfig.searches has no"},
        Verdict{"dns_none_and_the_domain_elsewhere",
                on_nodes(job(), {{"k", json::array({"default.svc"})}})
                    .set("/spec/dnsPolicy", "None")
                    .set("/spec/dnsConfig/searches", json::array({"other.svc"})),
                patched, outcome::Reason::injected,
                "dnsPolicy None, and dnsConfig.searches has no"},
        Verdict{"host_network", job().set("/spec/hostNetwork", true), patched,
                outcome::Reason::injected, "hostNetwork without"},
        Verdict{
            "host_network_right",
            job().set("/spec/hostNetwork", true).set("/spec/dnsPolicy", "ClusterFirstWithHostNet"),
            patched, outcome::Reason::injected},
        Verdict{"no_dns_policy", job().remove("/spec/dnsPolicy"), patched,
                outcome::Reason::injected},
        // A file instead of the lists, of a container whose name no API server takes.
        Verdict{"addresses_in_a_file",
                a_pod()
                    .job("t", 1)
                    .topology("2x4")
                    .tpu(4)
                    .env("TPU_PROCESS_ADDRESSES_PATH", "/hosts")
                    .set("/spec/containers/0/name", longest + "a"),
                patched, outcome::Reason::injected, shown_of_longest.c_str()},
        Verdict{"addresses_in_no_file",
                a_pod().job("t", 1).topology("2x4").tpu(4).env("TPU_PROCESS_ADDRESSES_PATH", ""),
                patched, outcome::Reason::injected},
        // Chips that are no number of chips: the Pod's fault, so a decision.
        Verdict{"half_a_chip", job().tpu("1500m"), denied, outcome::Reason::bad_quantity, "1500m"},
        Verdict{"negative_chips", job().tpu("-4"), denied, outcome::Reason::bad_quantity, "-4"},
        Verdict{"words_of_chips", job().tpu("abc"), denied, outcome::Reason::bad_quantity, "abc"}),
    case_name);

TEST(DecideDryRun, is_the_same_decision) {
  json review = job().review_json();
  const auto want = admit(review.dump());
  review["request"]["dryRun"] = true;
  EXPECT_EQ(admit(review.dump()).patch, want.patch);
}

TEST(DecideNames, ray_workers_are_given_theirs) {
  const auto answer = admit(ray());
  EXPECT_EQ(answer.object["spec"]["hostname"], "g-1-1");
  EXPECT_EQ(answer.object["spec"]["subdomain"], "c-headless");
  const auto mine = admit(ray().set("/spec/subdomain", "mine"));
  EXPECT_EQ(mine.object["spec"]["subdomain"], "mine");
  EXPECT_EQ(test::effective(mine, "TPU_WORKER_HOSTNAMES"), "g-1-0.mine,g-1-1.mine");
}

TEST(DecideNames, other_workloads_are_not) {
  const auto answer = admit(job().remove("/spec/hostname"));
  EXPECT_FALSE(answer.object["spec"].contains("hostname"));
  EXPECT_FALSE(admit(job().remove("/spec/subdomain")).object["spec"].contains("subdomain"));
}

TEST(DecideLabels, rays_autoscaler_finds_replicas) {
  EXPECT_EQ(test::label(admit(ray()), "replicaIndex"), "g-1");
  EXPECT_EQ(test::label(admit(a_pod().ray("c", "g", 1, 0).topology("2x2").tpu(4)), "replicaIndex"),
            "g-1");
  const auto theirs = admit(ray().label("replicaIndex", "g-9"));
  EXPECT_EQ(test::label(theirs, "replicaIndex"), "g-9");
  EXPECT_NE(theirs.warning("replicaIndex is g-9 and was kept"), "");
  EXPECT_EQ(test::label(admit(job()), "replicaIndex"), "(absent)");
}

TEST(DecideWords, say_which_member_this_is) {
  EXPECT_EQ(test::annotation(admit(job()), "tpu-webhook.dev/slice"),
            "host 1 of 2, Job train: 2x4 of tpu-v6e-slice, 4 chips per host");
  EXPECT_EQ(test::annotation(admit(jobset()), "tpu-webhook.dev/slice"),
            "host 1 of 2, slice 1 of 2, JobSet s/r: 2x4 of tpu-v6e-slice, 4 chips per host");
  EXPECT_EQ(test::annotation(admit(ray()), "tpu-webhook.dev/slice"),
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
                                  .topology("2x2x1")
                                  .tpu(4));
    EXPECT_EQ(test::annotation(answer, "tpu-webhook.dev/slice"),
              "host 0 of 1, Job " + said + ": 2x2x1 of tpu7x-" + said + ", 4 chips per host");
  }
}

// --- What is probably not meant -------------------------------------------------------------

TEST(Capacity, a_node_is_spot_or_flex_start) {
  const std::string spot = "cloud.google.com/gke-spot", flex = "cloud.google.com/gke-flex-start",
                    both = "cloud.google.com/gke-provisioning";
  const std::string said = "TPU-112: the Pod selects Spot nodes and flex-start nodes";
  EXPECT_NE(admit(job().selector(spot, "true").selector(flex, "true")).warning(said), "");
  EXPECT_NE(admit(job().selector(both, "flex-start").selector(spot, "true")).warning(said), "");
  EXPECT_NE(admit(job().selector(both, "spot").selector(flex, "true")).warning(said), "");
  const std::string reservation = "cloud.google.com/reservation-name";
  EXPECT_NE(admit(job().selector(reservation, "r").selector(flex, "true"))
                .warning("the Pod selects flex-start nodes and nodes of a reservation"),
            "");
  for (const PodBuilder& fine :
       {job().selector(spot, "true"), job().selector(flex, "true").selector(both, "flex-start"),
        job().selector(spot, "true").selector(flex, "false"), job().selector(both, "spot")})
    EXPECT_EQ(admit(fine).warning(said), "") << fine.pod().dump();
}

TEST(Capacity, is_read_from_required_affinity_of_one_value) {
  const auto with = [&](const json& spot) {
    return admit(on_nodes(job(), {{"cloud.google.com/gke-spot", spot},
                                  {"cloud.google.com/gke-flex-start", json::array({"true"})}}));
  };
  const std::string said = "TPU-112: the Pod selects Spot nodes and flex-start nodes";
  EXPECT_NE(with(json::array({"true"})).warning(said), "");
  EXPECT_EQ(with(json::array({"true", "false"})).warning(said), "");
}

TEST(NodeSelector, that_required_affinity_excludes_is_told) {
  const char* const pool = "cloud.google.com/gke-nodepool";
  const PodBuilder of_a = job().selector(pool, "a");
  const auto said = [](const PodBuilder& pod) {
    return admit(pod).warning("no node matches both");
  };
  EXPECT_NE(said(on_nodes(of_a, {{pool, json::array({"b"})}}))
                .find("the node selector asks for cloud.google.com/gke-nodepool=a, and the "
                      "required node affinity for other nodes"),
            std::string::npos);
  EXPECT_EQ(said(on_nodes(of_a, {{pool, json::array({"b", "a"})}})), "");
  EXPECT_EQ(said(of_a), "");
}

// How many hosts there are is not known, so neither is which of them it is: told once, as one.
TEST(NodeShared, is_why_nothing_is_injected) {
  const auto answer = admit(a_pod().owner("Mine", "m", "u").topology("4x4").tpu(2));
  ASSERT_EQ(answer.warnings.size(), 1u);
  EXPECT_NE(answer.warnings[0].find("ask for all chips of a node"), std::string::npos)
      << answer.warnings[0];
  EXPECT_NE(answer.warnings[0].find("nothing was injected"), std::string::npos)
      << answer.warnings[0];
}

TEST(SubSlice, needs_somebody_who_places_it) {
  const std::string said = "TPU-111: nothing places the 2 Pods of sub-slice 2x4";
  const PodBuilder pod = a_pod()
                             .job("train", 1)
                             .topology("4x4")
                             .tpu(4)
                             .annotation("cloud.google.com/gke-tpu-slice-topology", "2x4");
  EXPECT_NE(admit(pod).warning(said), "");
  for (const PodBuilder& placed :
       {PodBuilder(pod).annotation("kueue.x-k8s.io/podset-required-topology", "a/b"),
        PodBuilder(pod).label("kueue.x-k8s.io/queue-name", "q"),
        PodBuilder(pod).selector("cloud.google.com/gke-tpu-slice-2x4-id", "x"),
        PodBuilder(pod).annotation("cloud.google.com/gke-tpu-slice-topology", "4x4")})
    EXPECT_EQ(admit(placed).warning(said), "") << placed.pod().dump();
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
  const auto answer = admit(a_pod().job("train", 1).accelerator("").topology("2x4").tpu(4));
  EXPECT_EQ(test::annotation(answer, "tpu-webhook.dev/slice"),
            "host 1 of 2, Job train: 2x4, 4 chips per host");
}

TEST(RayGroup, of_other_slices_contradicts) {
  const RayHosts two(2), four(4);
  const PodBuilder pod = a_pod().ray("c", "g", 1, 1).topology("2x4").tpu(4);
  EXPECT_TRUE(admit(pod, {.cluster = &two}).warnings.empty());
  const auto answer = admit(pod, {.cluster = &four});
  EXPECT_EQ(answer.reason, outcome::Reason::inconsistent);
  EXPECT_NE(answer.warning("worker group g of RayCluster c has numOfHosts 4, but 2x4"), "");
}

// As many as there may be are too many for a list, and more are no number of hosts.
TEST(WorkerCount, is_no_more_than_there_are_chips_in_a_slice) {
  const auto reason = [](const char* count) {
    return admit(a_pod().job("t", 1).tpu(4).annotation("tpu-webhook.dev/worker-count", count))
        .reason;
  };
  EXPECT_EQ(reason("1048576"), outcome::Reason::too_long);
  EXPECT_EQ(reason("1048577"), outcome::Reason::bad_index);
  EXPECT_EQ(reason("0"), outcome::Reason::bad_index);
}

TEST(ComputeClass, a_ray_worker_has_as_many_hosts_as_its_group) {
  const RayHosts four(4);
  const PodBuilder pod = a_pod()
                             .ray("c", "g", 1, 2)
                             .accelerator("")
                             .selector("cloud.google.com/compute-class", "tpus")
                             .tpu(4);
  const auto answer = admit(pod, {.cluster = &four});
  EXPECT_EQ(test::effective(answer, "TPU_WORKER_ID"), "2");
  EXPECT_EQ(test::effective(answer, "TPU_WORKER_HOSTNAMES"),
            "g-1-0.c-headless,g-1-1.c-headless,g-1-2.c-headless,g-1-3.c-headless");
  EXPECT_EQ(test::annotation(answer, "tpu-webhook.dev/slice"),
            "host 2 of 4, slice 1, RayCluster c/g: 4 chips per host");
  EXPECT_TRUE(answer.warnings.empty()) << json(answer.warnings);
  EXPECT_NE(admit(pod).warning("TPU-105: "), "");
  const auto beyond =
      admit(PodBuilder(pod).label("ray.io/replica-host-index", "4"), {.cluster = &four});
  EXPECT_FALSE(beyond.allowed);
  // As many as there may be are too many for a list, and more are no number of hosts.
  const RayHosts most(topology::Dims::max_product), more(topology::Dims::max_product + 1);
  EXPECT_EQ(admit(pod, {.cluster = &most}).reason, outcome::Reason::too_long);
  EXPECT_NE(admit(pod, {.cluster = &more}).warning("TPU-105: "), "");
  // Without a class the nodes may be of any topology.
  EXPECT_NE(admit(a_pod().ray("c", "g", 1, 2).tpu(4), {.cluster = &four}).warning("TPU-105: "), "");
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
  EXPECT_NE(said(job().set("/spec/subdomain", "A" + std::string(62, 'x'))).find("is not a DNS"),
            std::string::npos);
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
                     .topology("4x4")
                     .tpu(4)
                     .annotation("tpu-webhook.dev/worker-id", "1")
                     .annotation("tpu-webhook.dev/hostnames", hostnames))
        .warning("annotation hostnames");
  };
  EXPECT_EQ(said("a,b,c,d"), "");
  EXPECT_NE(said("p,b,c,d").find("has this Pod, p, as host 0, but it is host 1"),
            std::string::npos);
  EXPECT_NE(said("b,a,c,b").find("has b twice"), std::string::npos);
}

TEST(JobSetGroup, of_several_jobs_is_told_that_nothing_says_where_they_meet) {
  const auto said = [](const char* slices) {
    return admit(a_pod()
                     .jobset("s", "r", 1, 0, 1)
                     .topology("2x4")
                     .tpu(4)
                     .label("jobset.sigs.k8s.io/group-name", "g")
                     .label("jobset.sigs.k8s.io/group-replicas", slices)
                     .label("jobset.sigs.k8s.io/job-group-index", "0"))
        .warning("slices of this group are several replicated jobs");
  };
  EXPECT_EQ(said("1"), "");
  EXPECT_NE(said("2").find("the 2 slices of this group"), std::string::npos);
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
  const PodBuilder two_chips = a_pod().accelerator("tpu7x").topology("2x2x1").tpu(2);
  const std::string reviews[] = {two_chips.review(),
                                 PodBuilder(two_chips).container("b").tpu(2).review(),
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
  EXPECT_NE(admit(jobset().env("MEGASCALE_PORT", "http")).warning("MEGASCALE_PORT"), "");
  EXPECT_NE(admit(jobset().env("MEGASCALE_PORT", "0")).warning("MEGASCALE_PORT"), "");
}

}  // namespace
}  // namespace tpuwh::webhook::decide
