// Chips by claim: the same identity, once the claim says how many (docs/facts.md#dra).
#include "webhook/read/claims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/admitted.hpp"
#include "tests/support/read_pod.hpp"

namespace tpuwh::webhook::read {
namespace {

using namespace test;

struct Templates final : ClusterView {
  Claimed claimed(const ClaimSource& source) const override {
    if (source.resource) return of_resource(source.name);
    if (source.ns != "default") return {};
    if (source.name == "tpu-4") return chips(4);
    if (source.name == "tpu-1") return chips(1);
    if (source.name == "netdev") return chips(0);
    if (source.name == "alternatives")
      return {.known = Claimed::Known::chips, .chips = 4, .alternatives = true};
    if (source.name == "selects-2x4")
      return {.known = Claimed::Known::chips,
              .chips = 4,
              .accelerator = "tpu-v6e-slice",
              .topology = "2x4"};
    if (source.name == "selects-4x4")
      return {.known = Claimed::Known::chips,
              .chips = 4,
              .accelerator = "tpu-v6e-slice",
              .topology = "4x4"};
    if (source.name == "all") return {.known = Claimed::Known::chips, .all = true};
    if (source.name == "all-of-v6e-4x4")
      return {.known = Claimed::Known::chips,
              .all = true,
              .accelerator = "tpu-v6e-slice",
              .topology = "4x4"};
    if (source.name == "not-counted")
      return {.known = Claimed::Known::no, .why = "asks for something"};
    if (source.name == "of-a-class")
      return {.known = Claimed::Known::chips, .why = "asks for devices of a class"};
    if (source.name == "out-of-reach")
      return {.known = Claimed::Known::unreadable, .why = "no answer", .again = true};
    if (source.name == "unreadable")
      return {.known = Claimed::Known::unreadable, .why = "it is not there"};
    if (source.name.starts_with("unread")) return {.known = Claimed::Known::unread};
    return {};
  }
  static Claimed of_resource(std::string_view name) {
    if (name == "acme.example/chips") return {.known = Claimed::Known::chips, .chips = 1};
    if (name == "deviceclass.resource.kubernetes.io/ours")
      return {.known = Claimed::Known::chips, .chips = 1, .topology = "2x4"};
    if (name == "deviceclass.resource.kubernetes.io/odd")
      return {.known = Claimed::Known::chips, .why = "asks for devices of a class"};
    return {};
  }
  static Claimed chips(std::uint32_t count) {
    return {.known = Claimed::Known::chips, .chips = count};
  }
};

PodBuilder worker(const json& claims, const json& used) {
  return a_pod()
      .job("t", 1)
      .topology("2x4")
      .set("/spec/resourceClaims", claims)
      .set("/spec/containers/0/resources", json{{"claims", used}});
}

json claim(const char* name, const char* made_from) {
  return {{"name", name}, {"resourceClaimTemplateName", made_from}};
}

json of_claim(const char* name) {
  return {{"claims", list({{{"name", name}}})}};
}
const char* const of_second = "/spec/containers/1/resources";

// Returns a worker whose chips are in a claim that is made from this ResourceClaimTemplate.
PodBuilder claiming(const char* made_from) {
  return worker(list({claim("tpu", made_from)}), list({{{"name", "tpu"}}}));
}

json by_name(const char* name, const char* which) {
  return {{"name", name}, {"resourceClaimName", which}};
}

json use(const char* name) {
  return {{"name", name}};
}

Admitted ask(const PodBuilder& pod) {
  static const Templates cluster;
  return admit(pod, {.cluster = &cluster});
}

TEST(Claims, are_chips) {
  const auto pod = worker(list({claim("tpu", "tpu-4"), claim("net", "netdev")}),
                          list({use("tpu"), {{"name", "net"}, {"request", "nic"}}}));
  const auto answer = ask(pod);
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "1");
  EXPECT_EQ(effective(answer, "TPU_WORKER_HOSTNAMES"), "t-0.svc,t-1.svc");
  EXPECT_EQ(answer.object["spec"]["resourceClaims"], pod.pod()["spec"]["resourceClaims"]);
}

void expect_resource(const json& limits, const char* worker_id, const char* warning = "") {
  SCOPED_TRACE(limits.dump());
  const auto answer = ask(a_pod().job("t", 1).topology("2x4").set("/spec/containers/0/resources",
                                                                  json{{"limits", limits}}));
  EXPECT_TRUE(answer.allowed) << answer.message;
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), worker_id) << answer.body;
  EXPECT_EQ(answer.warning("TPU-113").find(warning) == std::string::npos, false)
      << answer.warning("TPU-113");
  EXPECT_EQ(answer.warning("TPU-113").empty(), std::string_view(warning).empty());
}

// docs/facts.md#dra-extended-resource
TEST(Resources, ask_for_chips_by_every_name) {
  expect_resource({{"google.com/tpu", "4"}}, "1");
  expect_resource({{"deviceclass.resource.kubernetes.io/tpu.google.com", "4"}}, "1");
  expect_resource({{"deviceclass.resource.kubernetes.io/ours", "4"}}, "1");
  expect_resource({{"acme.example/chips", "4"}, {"cpu", "1"}}, "1");
  expect_resource({{"acme.example/chips", "2"}, {"deviceclass.resource.kubernetes.io/ours", "2"}},
                  "1");
  expect_resource({{"nvidia.com/gpu", "4"}}, "(absent)");
  expect_resource({{"deviceclass.resource.kubernetes.io/theirs", "4"}}, "(absent)");
  expect_resource({{"deviceclass.resource.kubernetes.io/odd", "4"}}, "(absent)",
                  "resource deviceclass.resource.kubernetes.io/odd asks for devices of a class");
  expect_resource({{"acme.example/chips", "half"}}, "(absent)", "acme.example/chips");
}

TEST(Resources, of_the_drivers_class_that_are_no_number_are_refused) {
  const auto answer = ask(a_pod().job("t", 1).topology("2x4").set(
      "/spec/containers/0/resources",
      json{{"limits", {{"deviceclass.resource.kubernetes.io/tpu.google.com", "1.5"}}}}));
  EXPECT_FALSE(answer.allowed);
  EXPECT_TRUE(has(answer.message,
                  "limits.deviceclass.resource.kubernetes.io/tpu.google.com: \"1.5\" is not"));
}

TEST(Claims, of_one_chip_are_chips) {
  const auto answer = ask(claiming("tpu-1").topology("1x1"));
  EXPECT_EQ(answer.reason, Reason::single_host) << answer.body;
  const auto shared =
      ask(claiming("tpu-1").topology("1x1").container("b").set(of_second, of_claim("tpu")));
  EXPECT_EQ(shared.reason, Reason::no_tpu) << shared.body;
}

TEST(Claims, of_other_devices_are_not) {
  const auto answer = ask(claiming("netdev"));
  EXPECT_EQ(answer.reason, Reason::no_tpu);
}

TEST(Claims, that_are_not_known_are_not_guessed) {
  for (const auto& pod :
       {claiming("other"), worker(list({claim("tpu", "tpu-4")}), list({use("another")})),
        claiming("tpu-4").container("b").set(of_second, of_claim("tpu"))}) {
    const auto answer = ask(pod);
    EXPECT_EQ(answer.reason, Reason::no_tpu) << pod.pod();
    EXPECT_TRUE(has(answer.warnings, "is not known; nothing was injected"));
    EXPECT_EQ(answer.patch, json::array());
  }
}

// Whatever nodes the Pod selects, where a claim is sure to be for chips.
TEST(Claims, that_are_not_counted_say_why) {
  const auto said = [](const char* made_from, bool selects) {
    auto pod = claiming(made_from);
    if (!selects) pod.remove("/spec/nodeSelector");
    return ask(pod).warning("TPU-113");
  };
  EXPECT_EQ(said("not-counted", false),
            "TPU-113: ResourceClaimTemplate not-counted asks for something; nothing was injected");
  EXPECT_EQ(said("all", false),
            "TPU-113: ResourceClaimTemplate all asks for all chips of a node; how many that are "
            "does not follow from the node selector; nothing was injected");
  EXPECT_TRUE(has(said("of-a-class", true),
                  "is not known: ResourceClaimTemplate of-a-class asks for devices of a class"));
  EXPECT_EQ(said("of-a-class", false), "");
  EXPECT_EQ(said("other", false), "");
  EXPECT_EQ(said("netdev", true), "");  // known to be for other devices
}

// Of several the first that is sure to be for chips.
TEST(Claims, that_are_not_counted_say_why_once) {
  const auto said = [](const char* first, const char* second) {
    auto pod = worker(list({claim("a", first), claim("b", second)}), list({use("a")}));
    pod.container("b").set(of_second, of_claim("b"));
    return ask(pod.remove("/spec/nodeSelector")).warning("TPU-113");
  };
  EXPECT_TRUE(has(said("not-counted", "all"), "not-counted asks for something"));
  EXPECT_TRUE(has(said("all", "not-counted"), "all asks for all chips"));
  EXPECT_TRUE(has(said("other", "not-counted"), "not-counted asks for"));
}

TEST(Claims, for_all_chips_of_a_node_are_as_many_as_the_selected_nodes_have) {
  const auto asking = [](const char* made_from) { return claiming(made_from).topology("4x4"); };
  const auto of_four = "t-0.svc,t-1.svc,t-2.svc,t-3.svc";
  EXPECT_EQ(effective(ask(asking("all")), "TPU_WORKER_HOSTNAMES"), of_four);
  auto said_by_claim = asking("all-of-v6e-4x4");
  EXPECT_EQ(effective(ask(said_by_claim.remove("/spec/nodeSelector")), "TPU_WORKER_HOSTNAMES"),
            of_four);
  // Of the Pod's nodes, whatever the claim says: 4 chips on two hosts or 8 on one.
  auto said_by_both = asking("all-of-v6e-4x4").remove("/spec/nodeSelector");
  said_by_both.set(
      "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
      "nodeSelectorTerms",
      list({{{"matchExpressions", list({{{"key", "cloud.google.com/gke-tpu-topology"},
                                         {"operator", "In"},
                                         {"values", json::array({"2x4"})}}})}}}));
  EXPECT_EQ(ask(said_by_both).reason, Reason::no_tpu);
  EXPECT_EQ(effective(ask(said_by_both.topology("4x4")), "TPU_WORKER_HOSTNAMES"), of_four);
  EXPECT_EQ(ask(asking("all").topology("2x4")).reason, Reason::no_tpu);
  auto of_eight = asking("all").topology("2x4").set(
      "/spec/nodeSelector/cloud.google.com~1gke-accelerator-count", "8");
  EXPECT_EQ(ask(of_eight).reason, Reason::single_host);
  auto of_none = asking("all").selector("cloud.google.com/gke-accelerator-count", "0");
  EXPECT_EQ(effective(ask(of_none), "TPU_WORKER_HOSTNAMES"), of_four);
}

// Where every machine has as many, whatever the topology.
TEST(Claims, for_all_chips_of_a_node_need_no_topology_where_all_nodes_are_alike) {
  static const Templates cluster;
  const auto chips = [](const char* accelerator) {
    auto pod = claiming("all");
    ReadPod read(pod.remove("/spec/nodeSelector").accelerator(accelerator));
    TakenClaims taken;
    take_claimed_chips(read.pod, "default", cluster, taken);
    return read.pod.containers[0].chips();
  };
  EXPECT_EQ(chips("tpu-v5p-slice"), 4u);
  EXPECT_EQ(chips("tpu-v6e-slice"), 0u);
  EXPECT_EQ(chips("tpu-v99-slice"), 0u);
}

TEST(Claims, of_a_container_that_has_ended_are_the_next_ones_too) {
  auto pod = claiming("tpu-4");
  pod.set("/spec/initContainers",
          list({{{"name", "checks"}, {"resources", {{"claims", list({use("tpu")})}}}}}));
  EXPECT_EQ(effective(ask(pod), "TPU_WORKER_ID"), "1");
}

TEST(Claims, are_counted_once_however_many_of_their_requests_are_named) {
  const auto pod =
      worker(list({claim("c", "tpu-4")}),
             list({{{"name", "c"}, {"request", "chips"}}, {{"name", "c"}, {"request", "cards"}}}));
  EXPECT_EQ(effective(ask(pod), "TPU_WORKER_ID"), "1");
}

// Whatever the order of the lists, and however many there are.
TEST(Claims, are_found_among_many) {
  json claims = json::array();
  for (int i = 0; i < 300; ++i)
    claims.push_back(claim(("n" + std::to_string(i % 250)).c_str(), "netdev"));
  claims[137] = claim("tpu", "tpu-4");
  claims.push_back(claim("tpu", "other"));  // no API server takes it; the first counts
  const json used = list({use("n7"), use("tpu"), use("n249")});
  EXPECT_EQ(effective(ask(worker(claims, used)), "TPU_WORKER_ID"), "1");
  const auto twice = worker(claims, used).container("b").set(of_second, of_claim("tpu"));
  EXPECT_EQ(ask(twice).reason, Reason::no_tpu);
  EXPECT_EQ(ask(worker(claims, list({use("tpu"), use("n300")}))).reason, Reason::no_tpu);
}

TEST(Claims, of_one_name_are_the_first_of_them) {
  json claims = json::array({claim("tpu", "tpu-4")});
  for (int i = 0; i < 300; ++i) claims.push_back(claim("tpu", "netdev"));
  EXPECT_EQ(effective(ask(worker(claims, list({use("tpu")}))), "TPU_WORKER_ID"), "1");
}

// docs/facts.md#dra
TEST(Claims, are_warned_of_where_nothing_tells_their_driver_the_slice) {
  const auto asking = [] { return claiming("tpu-4"); };
  const auto said = [](const PodBuilder& pod) { return ask(pod).warning("TPU-507"); };
  const auto unselected = [](PodBuilder pod) {
    return pod.set("/spec/nodeSelector", json::object());
  };
  EXPECT_EQ(said(asking()), "");
  EXPECT_TRUE(has(said(unselected(asking()).annotation("cloud.google.com/gke-tpu-topology", "2x4")),
                  "their driver writes TPU_WORKER_ID=0"));
  EXPECT_EQ(said(unselected(asking()).annotation("cloud.google.com/gke-tpu-topology", "2x2")), "");
  EXPECT_TRUE(has(
      said(asking().topology("4x4").annotation("cloud.google.com/gke-tpu-slice-topology", "2x4")),
      "knows no sub-slices"));
  EXPECT_EQ(said(asking().annotation("cloud.google.com/gke-tpu-slice-topology", "2x4")), "");
  EXPECT_EQ(
      said(unselected(asking()).tpu(4).annotation("cloud.google.com/gke-tpu-topology", "2x4")), "");
}

TEST(Claims, beside_chips_add_none) {
  const auto answer = ask(claiming("tpu-4").tpu(4));
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "1");
}

TEST(Claims, by_their_own_name_are_counted) {
  const auto beside = ask(worker(list({claim("tpu", "tpu-4"), by_name("net", "netdev")}),
                                 list({use("tpu"), use("net")})));
  EXPECT_EQ(effective(beside, "TPU_WORKER_ID"), "1");
  EXPECT_FALSE(has(beside.warnings, "TPU-115"));
  const json by_either = {
      {"name", "tpu"}, {"resourceClaimTemplateName", "tpu-4"}, {"resourceClaimName", nullptr}};
  EXPECT_EQ(effective(ask(worker(list({by_either}), list({use("tpu")}))), "TPU_WORKER_ID"), "1");
  // One node has them, and a controller gives the claim to every Pod that it makes.
  const auto shared = ask(worker(list({by_name("tpu", "tpu-4")}), list({use("tpu")})));
  EXPECT_EQ(effective(shared, "TPU_WORKER_ID"), "1");
  EXPECT_TRUE(has(shared.warnings, "TPU-115"));
  auto one_host = worker(list({by_name("tpu", "tpu-4")}), list({use("tpu")}));
  EXPECT_FALSE(has(ask(one_host.topology("2x2")).warnings, "TPU-115"));
}

// Two entries for one ResourceClaim: its four chips are there once.
TEST(Claims, of_one_object_by_two_entries_are_one) {
  const auto claims =
      list({by_name("a", "tpu-4"), by_name("net", "netdev"), by_name("b", "tpu-4")});
  EXPECT_EQ(effective(ask(worker(claims, list({use("a"), use("b"), use("net")}))), "TPU_WORKER_ID"),
            "1");
  const auto shared = ask(worker(claims, list({use("a")}))
                              .topology("2x2")
                              .container("c")
                              .set(of_second, of_claim("b")));
  EXPECT_EQ(shared.reason, Reason::no_tpu) << shared.body;
  EXPECT_TRUE(has(shared.warnings, "share the chips of ResourceClaim tpu-4"));
  // Each of a template's is another.
  const auto made =
      ask(worker(list({claim("a", "tpu-1"), claim("b", "tpu-1")}), list({use("a"), use("b")}))
              .topology("1x2"));
  EXPECT_NE(made.reason, Reason::no_tpu) << made.body;
}

// What is asked of the cluster, name by name.
struct Counting final : ClusterView {
  Claimed claimed(const ClaimSource& source) const override {
    ++asked;
    longest = std::max({longest, source.ns.size(), source.name.size()});
    return {.known = Claimed::Known::chips, .chips = 1};
  }
  mutable std::size_t asked = 0, longest = 0;
};

// A longer name is nobody's, and is not copied whole by whoever looks for it.
TEST(Claims, are_looked_for_by_a_little_more_than_the_longest_name) {
  for (const std::size_t length : {253, 254, 255, 1000}) {
    const Counting cluster;
    const std::string of_template(length, 'n'), ns(length, 'd');
    ReadPod read(worker(list({claim("c", of_template.c_str())}), list({use("c")})));
    TakenClaims taken;
    take_claimed_chips(read.pod, ns, cluster, taken);
    EXPECT_EQ(cluster.longest, std::min<std::size_t>(length, 254));
  }
}

// Each container asks for a claim of its own, beyond what any Pod has.
TEST(Claims, are_not_asked_for_without_bound) {
  auto pod = claiming("t");
  json containers = json::array();
  for (std::size_t i = 0; i < 4 * max_asked_claims; ++i)
    containers.push_back(
        {{"name", "c" + std::to_string(i)}, {"resources", {{"claims", list({use("tpu")})}}}});
  pod.set("/spec/containers", containers);
  ReadPod read(pod);
  const Counting cluster;
  TakenClaims taken;
  take_claimed_chips(read.pod, "default", cluster, taken);
  EXPECT_EQ(cluster.asked, max_asked_claims);
}

// Of what the Pod selects, and not what it writes in front of it.
TEST(Claims, for_all_chips_of_a_node_need_a_topology_that_can_be_one) {
  auto pod = claiming("all").topology("4x4");
  pod.set("/spec/nodeSelector/cloud.google.com~1gke-accelerator-count", std::string(100, '1'));
  EXPECT_EQ(effective(ask(pod), "TPU_WORKER_ID"), "1");
  pod.topology(std::string(100, '2') + "x4");
  EXPECT_EQ(ask(pod).reason, Reason::no_tpu);
}

TEST(Claims, say_which_nodes_where_the_pod_does_not) {
  auto pod = claiming("selects-2x4");
  pod.remove("/spec/nodeSelector");
  const auto answer = ask(pod);
  EXPECT_EQ(effective(answer, "TPU_WORKER_HOSTNAMES"), "t-0.svc,t-1.svc") << answer.body;
  const auto by_selector = ask(pod.topology("4x4"));
  EXPECT_EQ(effective(by_selector, "TPU_WORKER_HOSTNAMES"), "t-0.svc,t-1.svc,t-2.svc,t-3.svc");
}

// What two of them say is what both say; with one that says nothing, nothing.
TEST(Claims, that_contradict_each_other_say_nothing) {
  static const Templates cluster;
  const auto topology = [](const char* first, const char* second) {
    ReadPod read(worker(list({claim("a", first), claim("b", second)}), list({use("a"), use("b")})));
    TakenClaims taken;
    take_claimed_chips(read.pod, "default", cluster, taken);
    EXPECT_EQ(read.pod.containers[0].chips(), 8u);
    return taken.accelerator + ' ' + taken.topology;
  };
  EXPECT_EQ(topology("selects-2x4", "selects-2x4"), "tpu-v6e-slice 2x4");
  EXPECT_EQ(topology("selects-2x4", "selects-4x4"), "tpu-v6e-slice ");
  EXPECT_EQ(topology("selects-2x4", "tpu-4"), " ");
  EXPECT_EQ(topology("tpu-4", "selects-2x4"), " ");
}

// What is known of one container is no part of the next one's.
TEST(Claims, are_of_their_container) {
  static const Templates cluster;
  const auto taken_of = [](const json& claims, const json& first, const json& second) {
    ReadPod read(worker(claims, first)
                     .container("b")
                     .set("/spec/containers/1/resources", json{{"claims", second}}));
    TakenClaims taken;
    take_claimed_chips(read.pod, "default", cluster, taken);
    EXPECT_EQ(read.pod.containers[1].chips(), 0u);
    return taken;
  };
  const json doubtful =
      list({claim("tpu", "tpu-4"), claim("class", "of-a-class"), claim("net", "netdev")});
  EXPECT_EQ(taken_of(doubtful, list({use("tpu"), use("class")}), list({use("net")})).not_counted,
            TakenClaims::NotCounted::nothing);
  EXPECT_EQ(taken_of(doubtful, list({use("tpu")}), list({use("class")})).not_counted,
            TakenClaims::NotCounted::perhaps);
  const json same = list({claim("a", "unread"), claim("b", "unread")});
  EXPECT_EQ(taken_of(same, list({use("a")}), list({use("b")})).unread.size(), 1u);
}

// One for all Pods of a thread.
TEST(Claims, of_one_pod_are_not_the_next_ones) {
  TakenClaims taken{.unread = {{"default", "unread", true}},
                    .unreadable = "it is not there",
                    .again = true,
                    .accelerator = "tpu-v6e-slice",
                    .topology = "2x4",
                    .alternatives = true,
                    .named = "tpu-4",
                    .not_counted = TakenClaims::NotCounted::chips,
                    .why = "asks for something"};
  ReadPod next(a_pod().tpu(4));
  take_claimed_chips(next.pod, "default", NoCluster(), taken);
  EXPECT_TRUE(taken.unread.empty());
  EXPECT_EQ(taken.unreadable + taken.accelerator + taken.topology + taken.why, "");
  EXPECT_EQ(taken.named, "");
  EXPECT_FALSE(taken.again);
  EXPECT_FALSE(taken.alternatives);
  EXPECT_EQ(taken.not_counted, TakenClaims::NotCounted::nothing);
}

TEST(Claims, of_several_alternatives_warn) {
  const auto answer = ask(claiming("alternatives"));
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "1");
  EXPECT_TRUE(has(answer.warnings, "TPU-113"));
  EXPECT_FALSE(has(ask(claiming("tpu-4")).warnings, "TPU-113"));
}

// ---- claims that are to be read first

// The names that are to be read, or "answered".
std::vector<std::string> unread(const PodBuilder& pod, const config::Config& config = {}) {
  static const Templates cluster;
  std::string review = pod.review();
  answer::Workspace workspace;
  const auto answer = answer::admit(Body(review), config, cluster, workspace);
  if (answer.ledger.use != answer::LedgerStep::Use::read_claims) return {"answered"};
  EXPECT_TRUE(answer.body.empty());
  std::vector<std::string> out;
  for (const ClaimSource& each : answer.unread) {
    EXPECT_EQ(each.ns, "default");
    EXPECT_TRUE(each.made);
    out.emplace_back(each.name);
  }
  return out;
}

using Names = std::vector<std::string>;

TEST(Claims, that_are_not_there_yet_are_to_be_read) {
  EXPECT_EQ(unread(claiming("unread")), Names{"unread"});
  // Once, however often it is used.
  EXPECT_EQ(unread(worker(list({claim("a", "unread"), claim("b", "unread"), claim("c", "tpu-1")}),
                          list({use("a"), use("b"), use("c")}))),
            Names{"unread"});
}

TEST(Claims, that_are_to_be_read_are_asked_for_in_the_mode_of_the_pod) {
  static const Templates cluster;
  for (const config::Mode mode : {config::Mode::enforce, config::Mode::shadow}) {
    config::Config config;
    config.mode = mode;
    std::string review = claiming("unread").review();
    answer::Workspace workspace;
    const auto asked = answer::admit(Body(review), config, cluster, workspace);
    EXPECT_EQ(asked.summary.shadow, mode == config::Mode::shadow);
  }
}

TEST(Claims, are_not_waited_for_where_the_answer_is_the_same) {
  const auto pod =
      worker(list({claim("tpu", "unread"), claim("x", "other")}), list({use("tpu"), use("x")}));
  EXPECT_EQ(unread(pod), Names{"answered"});  // not known, whatever the first one says
  const auto waits = claiming("unread");
  EXPECT_EQ(unread(worker(list({claim("tpu", "unread")}), json::array())), Names{"answered"});
  EXPECT_EQ(unread(claiming("netdev")), Names{"answered"});
  auto opted_out = waits;
  EXPECT_EQ(unread(opted_out.ours("inject", "false")), Names{"answered"});
  config::Config without_jobs;
  without_jobs.workloads = {};
  EXPECT_EQ(unread(waits, without_jobs), Names{"answered"});
  // By google.com/tpu in another container.
  auto by_both = waits;
  EXPECT_EQ(unread(by_both.container("b").set("/spec/containers/1/resources",
                                              json{{"limits", {{"google.com/tpu", "1"}}}})),
            Names{"answered"});
}

TEST(Claims, are_not_read_without_bound) {
  json claims = json::array(), used = json::array();
  for (std::size_t i = 0; i <= max_unread_claims; ++i) {
    const std::string name = "n" + std::to_string(i);
    claims.push_back(claim(name.c_str(), ("unread" + std::to_string(i)).c_str()));
    used.push_back(use(name.c_str()));
  }
  const auto answer = ask(worker(claims, used));
  EXPECT_EQ(answer.status, 503u);
  EXPECT_EQ(answer.reason, Reason::no_claim);
}

TEST(Claims, that_cannot_be_read_defer_the_pod) {
  const auto pod = claiming("unreadable");
  const auto answer = ask(pod);
  EXPECT_EQ(answer.status, 503u);
  EXPECT_EQ(answer.outcome, Outcome::deferred);
  EXPECT_EQ(answer.reason, Reason::no_claim);
  EXPECT_EQ(answer.message, "it is not there");
  EXPECT_EQ(answer.retry_after, 0u);  // of an answer with it nobody reads the message
  EXPECT_EQ(ask(claiming("out-of-reach")).retry_after, 1u);
  auto opted_out = pod;
  EXPECT_TRUE(ask(opted_out.ours("inject", "false")).allowed);
  static const Templates cluster;
  config::Config shadow;
  shadow.mode = config::Mode::shadow;
  const auto watched = admit(pod, {.config = shadow, .cluster = &cluster});
  EXPECT_EQ(watched.status, 200u);
  EXPECT_TRUE(has(watched.warnings, "would have been deferred (503): it is not there"));
}

TEST(Claims, of_the_wrong_type_are_told_of) {
  EXPECT_EQ(ask(worker(list({{{"name", 5}}}), json::array())).status, 400u);
  EXPECT_EQ(ask(worker(5, json::array())).status, 400u);
  EXPECT_TRUE(ask(worker(nullptr, nullptr)).allowed);
}

}  // namespace
}  // namespace tpuwh::webhook::read
