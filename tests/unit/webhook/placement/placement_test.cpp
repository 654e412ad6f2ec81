// Labels and terms that keep a slice whole (docs/decisions/0017).
#include "webhook/placement/placement.hpp"

#include <gtest/gtest.h>

#include <optional>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/names.hpp"
#include "tests/support/admitted.hpp"
#include "tests/support/heap_bytes.hpp"
#include "tests/support/named_case.hpp"
#include "tests/support/read_pod.hpp"
#include "tests/unit/webhook/placement/a_job.hpp"
#include "webhook/placement/write_placement.hpp"

namespace tpuwh::webhook::placement {
namespace {

using namespace test;
using test::PrintTo;

const std::string key_label = "tpu-webhook.dev/slice-key";
const std::string priority_label = "tpu-webhook.dev/priority";
const std::string count_key = "cloud.google.com/gke-accelerator-count";

std::string key_of(const Admitted& answer) {
  return label(answer, key_label);
}

// --- The terms, as the scheduler reads them -------------------------------------------------

// k8s.io/apimachinery labels.Selector over matchExpressions and matchLabels.
bool matches(const json& selector, const json& labels) {
  if (selector.is_null()) return false;
  for (const json& expression : selector.value("matchExpressions", json::array())) {
    const std::string key = expression["key"], op = expression["operator"];
    const bool has = labels.contains(key);
    const json values = expression.value("values", json::array());
    const bool among = has && std::find(values.begin(), values.end(), labels[key]) != values.end();
    if (op == "In" && !among) return false;
    if (op == "NotIn" && among) return false;
    if (op == "Exists" && !has) return false;
    if (op == "DoesNotExist" && has) return false;
  }
  const json wanted = selector.value("matchLabels", json::object());
  for (const auto& [key, value] : wanted.items())
    if (!labels.contains(key) || labels[key] != value) return false;
  return true;
}

json terms(const Admitted& answer, const char* kind, const std::string& when = required) {
  const json& spec = answer.object["spec"];
  if (!spec.contains("affinity") || !spec["affinity"].contains(kind)) return json::array();
  return spec["affinity"][kind].value(when, json::array());
}

const json& labels(const Admitted& answer) {
  return answer.object["metadata"]["labels"];
}

// May `guest` stand in a domain where `host` stands, by the required terms of both?
bool may_share(const Admitted& guest, const Admitted& host) {
  for (const auto& [one, other] : {std::pair{&guest, &host}, {&host, &guest}})
    for (const json& term : terms(*one, "podAntiAffinity"))
      if (matches(term["labelSelector"], labels(*other))) return false;
  return true;
}

// Must `guest` go where `host` is?
bool is_drawn_to(const Admitted& guest, const Admitted& host) {
  const json all = terms(guest, "podAffinity");
  return !all.empty() && std::ranges::all_of(all, [&](const json& term) {
    return matches(term["labelSelector"], labels(host));
  });
}

bool would_rather_not_share(const Admitted& guest, const Admitted& host) {
  for (const json& term : terms(guest, "podAntiAffinity", preferred))
    if (term["weight"] == 100 && matches(term["podAffinityTerm"]["labelSelector"], labels(host)))
      return true;
  return false;
}

// Members of slices of every workload API, in several namespaces and priorities.
struct Standing {
  std::string slice;
  int priority;
  Admitted pod;
};

std::vector<Standing> everybody() {
  std::vector<Standing> all;
  const auto add = [&](std::string slice, PodBuilder pod, int priority = 0) {
    all.push_back(
        {std::move(slice), priority, admit(pod.on("4x4", 4).set("/spec/priority", priority))});
  };
  for (const std::uint32_t host : {0u, 1u}) {
    add("job", a_pod().job("train", host));
    add("other job", a_pod().job("other", host));
    add("job high", a_pod().job("high", host), 1000);
    add("job low", a_pod().job("low", host), -10);
    for (const std::uint32_t slice : {0u, 1u}) {
      const std::string at = std::to_string(slice);
      add("jobset " + at, a_pod().jobset("set", "r", 2, slice, host));
      add("ray g " + at, a_pod().ray("c", "g", slice, host));
      add("ray h " + at, a_pod().ray("c", "h", slice, host));
      add("ray high " + at, a_pod().ray("d", "g", slice, host), 1000);
    }
  }
  return all;
}

TEST(PlacementTerms, members_attract_and_slices_repel) {
  const auto all = everybody();
  for (const Standing& guest : all)
    for (const Standing& host : all) {
      if (&guest == &host) continue;
      const bool same = guest.slice == host.slice;
      const std::string said = guest.slice + " and " + host.slice;
      EXPECT_EQ(key_of(guest.pod) == key_of(host.pod), same) << said;
      EXPECT_EQ(is_drawn_to(guest.pod, host.pod), same) << said;
      // Where the requirement keeps away, the preference has nothing to say: it would be dear.
      EXPECT_EQ(would_rather_not_share(guest.pod, host.pod),
                !same && guest.priority != host.priority)
          << said;
      EXPECT_EQ(may_share(guest.pod, host.pod), same || guest.priority != host.priority) << said;
    }
}

TEST(PlacementTerms, pods_without_the_label_are_not_touched) {
  const auto pod = admit(job());
  auto bystander = admit(a_pod().label("app", "web"));
  EXPECT_TRUE(may_share(pod, bystander));
  EXPECT_FALSE(would_rather_not_share(pod, bystander));
}

// A label on a Pod of somebody else's namespace must not say where the slice may be.
TEST(PlacementTerms, keep_to_members_of_the_own_namespace) {
  const json own = terms(admit(job()), "podAffinity")[0];
  EXPECT_FALSE(own.contains("namespaceSelector") || own.contains("namespaces")) << own;
}

// --- The key ----------------------------------------------------------------------------------

TEST(PlacementKey, is_of_the_slice_and_not_of_the_run) {
  const std::string key = key_of(admit(job()));
  EXPECT_EQ(key, base::view(base::hash(std::array<std::string_view, 4>{"uid-of-train"})));
  EXPECT_EQ(key_of(admit(job()
                             .set("/metadata/generateName", "other-")
                             .label("jobset.sigs.k8s.io/restart-attempt", "7"))),
            key);
  EXPECT_NE(key_of(admit(job().owner("Job", "train", "another-uid"))), key);
  // Ray: a replica has one name, whatever its index.
  const auto ray = [](std::uint32_t host) { return a_pod().ray("c", "g", 0, host).on("4x4", 4); };
  EXPECT_EQ(key_of(admit(ray(0))), key_of(admit(ray(3))));
  EXPECT_NE(key_of(admit(ray(0))),
            key_of(admit(ray(0).label("ray.io/worker-group-replica-name", "g-other"))));
  EXPECT_NE(key_of(admit(ray(0))), key_of(admit(ray(0).owner("RayCluster", "c", "another-uid"))));
}

TEST(PlacementKey, without_a_uid_comes_from_names_and_namespace) {
  const auto keyed = [](PodBuilder pod, const char* ns) {
    json review = pod.on("4x4", 4).review_json();
    review["request"]["namespace"] = ns;
    return key_of(admit(review.dump()));
  };
  const auto nameless = [](const char* name) {
    return a_pod()
        .job(name, 1)
        .owner("Job", name, "")
        .label("batch.kubernetes.io/controller-uid", "");
  };
  const auto ray = [] { return a_pod().ray("c", "g", 0, 1).owner("RayCluster", "c", ""); };
  std::set<std::string> keys;
  for (const char* ns : {"a", "b"}) {
    EXPECT_TRUE(keys.insert(keyed(nameless("x"), ns)).second);
    EXPECT_TRUE(keys.insert(keyed(nameless("y"), ns)).second);
    EXPECT_TRUE(keys.insert(keyed(ray(), ns)).second);
    EXPECT_TRUE(keys.insert(keyed(ray().label("ray.io/group", "h"), ns)).second);
    EXPECT_TRUE(keys.insert(keyed(ray().label("ray.io/worker-group-replica-name", ""), ns)).second);
  }
}

// --- Priorities ----------------------------------------------------------------------------------

TEST(PriorityLabel, is_a_label_value) {
  for (const auto& [priority, want] :
       std::initializer_list<std::pair<json, std::string>>{{0, "0"},
                                                           {nullptr, "0"},
                                                           {1000, "1000"},
                                                           {-10, "minus-10"},
                                                           {-2147483648, "minus-2147483648"},
                                                           {2147483647, "2147483647"}}) {
    const auto answer = admit(job().set("/spec/priority", priority));
    EXPECT_EQ(label(answer, priority_label), want);
    EXPECT_TRUE(base::is_label_value(label(answer, priority_label)));
    EXPECT_EQ(terms(answer, "podAntiAffinity")[0]["labelSelector"]["matchExpressions"][2]["values"],
              json::array({want}));
  }
}

TEST(PriorityOfNobody, is_no_text) {
  EXPECT_EQ(PriorityText().view(), "");
}

// --- Who gets what
// ---------------------------------------------------------------------------------

// Expects that each Pod gets the labels and the affinity terms of this domain. If `domain` is "",
// the Pod must get no terms.
void expect_placed(const std::string& domain, const std::vector<PodBuilder>& pods) {
  for (const PodBuilder& pod : pods) {
    SCOPED_TRACE(pod.pod().dump());
    const auto answer = admit(pod);
    ASSERT_TRUE(answer.allowed) << answer.message;
    EXPECT_EQ(key_of(answer).size(), 32u);
    EXPECT_NE(label(answer, priority_label), "(absent)");
    for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
      const json all = terms(answer, kind);
      EXPECT_EQ(all.empty(), domain.empty());
      if (!all.empty()) {
        EXPECT_EQ(all[0]["topologyKey"], domain);
      }
    }
    EXPECT_EQ(terms(answer, "podAntiAffinity", preferred).size(), domain.empty() ? 0u : 1u);
    EXPECT_EQ(admit_pod(answer.object).patch, json::array());
  }
}

json required_node(const json& node_terms) {
  return {{"nodeAffinity", {{required, {{"nodeSelectorTerms", node_terms}}}}}};
}
json in(const std::string& key, const json& values) {
  return {
      {"matchExpressions", json::array({{{"key", key}, {"operator", "In"}, {"values", values}}})}};
}

PodBuilder jobset() {
  return a_pod().jobset("s", "r", 1, 0, 1).on("4x4", 4);
}

const char* const exclusive = "tpu-webhook.dev/exclusive-topology";
const char* const theirs = "alpha.jobset.sigs.k8s.io/exclusive-topology";

TEST(Placed, on_one_node_pool) {
  const auto of_nodes = [](const std::vector<json>& node_terms) {
    return job().set("/spec/affinity", required_node(node_terms));
  };
  const std::string topology = "cloud.google.com/gke-tpu-topology";
  expect_placed(pool,
                {job().annotation(theirs, "a/b"), job().annotation(exclusive, ""),
                 job().annotation(theirs, "no key!"),
                 of_nodes({in(topology, {"4x4"})}).remove("/spec/nodeSelector"),
                 // The next four Pods are not pinned to one pool: they have two pools, a term
                 // without a pool, terms with different pools, or an empty value.
                 of_nodes({in(pool, {"p", "q"})}), of_nodes({in(pool, {"p"}), in("zone", {"a"})}),
                 of_nodes({in(pool, {"p"}), in(pool, {"q"})}), job().selector(pool, ""),
                 job().label("kueue.x-k8s.io/queue-name", ""),
                 job().set("/spec/schedulingGates", list({{{"name", "a/b"}}})),
                 job().set("/spec/schedulingGroup", {{"podGroupName", "g"}}),
                 job().annotation("cloud.google.com/gke-tpu-slice-topology", "4x4")});
}

// The domain is that of our annotation, or otherwise that of the owner's annotation.
TEST(Placed, in_the_domain_that_is_asked_for) {
  expect_placed("example.com/rack", {job().annotation(exclusive, "example.com/rack")});
  expect_placed("cloud.google.com/gke-tpu-slice",
                {jobset().annotation(theirs, "cloud.google.com/gke-tpu-slice")});
  expect_placed("c/d", {jobset().annotation(theirs, "a/b").annotation(exclusive, "c/d")});
  expect_placed("a/b", {job().selector(pool, "p").annotation(exclusive, "a/b")});
}

TEST(Placed, without_terms) {
  expect_placed(
      "",
      {jobset().annotation(theirs, "a/b").annotation(exclusive, "none"),
       job().annotation(exclusive, "no key!"), job().annotation(exclusive, "a\"b/c"),
       // A required term would never match on nodes without the pool's label.
       job().remove("/spec/nodeSelector").annotation("cloud.google.com/gke-tpu-topology", "4x4"),
       job().selector("a/b", "x").annotation(exclusive, "a/b"),
       job().selector("alpha.jobset.sigs.k8s.io/namespaced-job", "default_s-r-0"),
       // Kueue compares the affinity of all Pods of a role, or places these Pods without our terms.
       job().annotation("kueue.x-k8s.io/pod-suspending-parent", "statefulset"),
       job().set("/spec/schedulingGates", list({{{"name", "kueue.x-k8s.io/admission"}}})),
       job().annotation("kueue.x-k8s.io/podset-preferred-topology", pool),
       job().annotation("kueue.x-k8s.io/podset-unconstrained-topology", "true"),
       job().annotation("kueue.x-k8s.io/podset-slice-required-topology", pool),
       job().topology("8x8").annotation("cloud.google.com/gke-tpu-slice-topology", "4x4"),
       job().selector("cloud.google.com/gke-tpu-slice-4x4-id", "a"),
       job().selector("cloud.google.com/gke-tpu-slice", "a")});
}

TEST(Placed, a_single_host_is_not) {
  const auto answer = admit(a_pod().job("t", 0).on("2x2", 4));
  EXPECT_EQ(key_of(answer), "(absent)");
  EXPECT_EQ(label(answer, priority_label), "(absent)");
  EXPECT_FALSE(answer.object["spec"].contains("affinity"));
}

// A node pool is one slice: two that are pinned to it would each begin there, and wait for ever.
TEST(Pinned, stands_apart_from_others_of_its_priority_and_no_more) {
  const auto on_pool = [](const std::vector<json>& terms) { return required_node(terms); };
  for (const PodBuilder& pod :
       {job().selector(pool, "p"), job().set("/spec/affinity", on_pool({in(pool, {"p"})})),
        job().set("/spec/affinity", on_pool({in(pool, {"p"}), in(pool, {"p"})})),
        job().selector(pool, "p").set("/spec/affinity", json::object())}) {
    const auto answer = admit(pod);
    const json& affinity = answer.object["spec"]["affinity"];
    EXPECT_FALSE(affinity.contains("podAffinity"));
    const json& apart = affinity["podAntiAffinity"];
    EXPECT_EQ(apart.size(), 1u);
    const json& terms = apart["requiredDuringSchedulingIgnoredDuringExecution"];
    ASSERT_EQ(terms.size(), 1u);
    const json other = admit(job()).object["spec"]["affinity"]["podAntiAffinity"];
    EXPECT_EQ(terms, other["requiredDuringSchedulingIgnoredDuringExecution"]);
    EXPECT_EQ(admit_pod(answer.object).patch, json::array());
  }
}

// Several slices may stand there, or nobody knows what a domain is.
TEST(Pinned, elsewhere_has_labels_alone) {
  for (const PodBuilder& pod :
       {job().selector("a/b", "x").annotation(exclusive, "a/b"),
        job()
            .selector(pool, "p")
            .remove("/spec/nodeSelector/cloud.google.com~1gke-tpu-topology")
            .remove("/spec/nodeSelector/cloud.google.com~1gke-tpu-accelerator")
            .annotation("cloud.google.com/gke-tpu-topology", "4x4"),
        job().selector(pool, "p").annotation(exclusive, "none"),
        jobset().selector(pool, "p").annotation("alpha.jobset.sigs.k8s.io/exclusive-topology",
                                                pool),
        job().selector(pool, "p").label("kueue.x-k8s.io/queue-name", "q"),
        job().selector(pool, "p").selector("cloud.google.com/gke-tpu-slice", "a")}) {
    const auto answer = admit(pod);
    EXPECT_EQ(key_of(answer).size(), 32u);
    EXPECT_FALSE(answer.object["spec"].contains("affinity")) << answer.object["spec"].dump();
  }
}

struct Says {
  const char* name;
  std::optional<bool> all, api, ns;
  bool want;
};
class PlacementFor : public testing::TestWithParam<Says> {};

TEST_P(PlacementFor, the_first_that_says_something_of_namespace_api_and_the_whole) {
  const Says& says = GetParam();
  Around around;
  around.config.placement = says.all.value_or(true);
  around.config.of(config::WorkloadKind::job).placement = says.api;
  around.config.of(config::WorkloadKind::ray).placement = !says.want;  // another API's
  around.config.per_namespace["elsewhere"].placement = !says.want;
  around.config.per_namespace["default"].placement = says.ns;
  const auto answer = admit(job(), around);
  EXPECT_EQ(key_of(answer) != "(absent)", says.want);
  EXPECT_EQ(answer.object["spec"].contains("affinity"), says.want);
  EXPECT_EQ(effective(answer, "TPU_WORKER_ID"), "1");
}

INSTANTIATE_TEST_SUITE_P(table, PlacementFor,
                         testing::Values(Says{"nothing", {}, {}, {}, true},
                                         Says{"all_off", false, {}, {}, false},
                                         Says{"api_off", {}, false, {}, false},
                                         Says{"api_on", false, true, {}, true},
                                         Says{"namespace_off", {}, {}, false, false},
                                         Says{"namespace_on", false, {}, true, true},
                                         Says{"namespace_over_api", {}, false, true, true},
                                         Says{"namespace_off_over_api", false, true, false, false}),
                         case_name);

TEST(PlacementNotes, a_garbage_domain_is_told) {
  EXPECT_TRUE(
      has(admit(job().annotation(exclusive, "no key!")).warnings, "exclusive-topology is no key!"));
  EXPECT_TRUE(admit(job().annotation(exclusive, "none")).warnings.empty());
}

TEST(PlacementLabels, of_another_run_are_replaced) {
  const auto answer = admit(job().label(key_label, "stale").label(priority_label, nullptr));
  EXPECT_EQ(key_of(answer).size(), 32u);
  EXPECT_EQ(label(answer, priority_label), "0");
}

TEST(PlacementLabels, are_made_where_the_pod_has_none) {
  // Without labels the owner and the annotation say who the Pod is.
  for (const bool null : {false, true}) {
    auto pod = job();
    if (null)
      pod.set("/metadata/labels", nullptr);
    else
      pod.remove("/metadata/labels");
    EXPECT_EQ(key_of(admit(pod)).size(), 32u);
  }
}

TEST(PlacementPrefix, is_the_operators) {
  Around around;
  around.config.prefix = "tpu.example~org/";
  const auto answer = admit(job(), around);
  EXPECT_EQ(label(answer, "tpu.example~org/slice-key").size(), 32u);
  EXPECT_EQ(admit_pod(answer.object, around).patch, json::array());
}

// --- Beside what the user has --------------------------------------------------------------------

json user_term(const char* value) {
  return {{"labelSelector", {{"matchLabels", {{"app", value}}}}},
          {"topologyKey", "kubernetes.io/hostname"}};
}
json weighted(const char* value) {
  return {{"weight", 7}, {"podAffinityTerm", user_term(value)}};
}

// What the user had is a prefix of each list, value for value.
void expect_kept(const json& before, const json& after, const std::string& at) {
  if (before.is_null()) return;
  if (before.is_object()) {
    for (const auto& [key, value] : before.items()) {
      ASSERT_TRUE(after.contains(key)) << at << '/' << key;
      expect_kept(value, after[key], at + '/' + key);
    }
  } else if (before.is_array()) {
    ASSERT_LE(before.size(), after.size()) << at;
    for (std::size_t i = 0; i < before.size(); ++i)
      expect_kept(before[i], after[i], at + '/' + std::to_string(i));
  } else {
    EXPECT_EQ(before, after) << at;
  }
}

void expect_added_once(const json& affinity) {
  SCOPED_TRACE(affinity.dump());
  const auto answer = admit(a_pod().job("train", 1).on("2x4", 4).set("/spec/affinity", affinity));
  ASSERT_EQ(answer.outcome, Outcome::patched);
  expect_kept(affinity, answer.object["spec"]["affinity"], "");
  const std::string key = key_of(answer);
  const auto ours = [&](const json& list) {
    return std::ranges::count_if(
        list, [&](const json& term) { return term.dump().find(key) != std::string::npos; });
  };
  EXPECT_EQ(ours(terms(answer, "podAffinity")), 1);
  EXPECT_EQ(ours(terms(answer, "podAntiAffinity")), 1);
  EXPECT_EQ(ours(terms(answer, "podAntiAffinity", preferred)), 1);
  EXPECT_EQ(admit_pod(answer.object).patch, json::array());
}

TEST(BesideUsers, terms_are_added_once) {
  expect_added_once(nullptr);
  expect_added_once(json::object());
  expect_added_once(required_node(json::array({in("zone", {"a"})})));
  expect_added_once({{"nodeAffinity", {{preferred, json::array()}}}});
  expect_added_once(
      {{"nodeAffinity", nullptr}, {"podAffinity", nullptr}, {"podAntiAffinity", nullptr}});
  expect_added_once({{"nodeAffinity", json::object()},
                     {"podAffinity", json::object()},
                     {"podAntiAffinity", json::object()}});
  expect_added_once({{"podAffinity", {{required, nullptr}}},
                     {"podAntiAffinity", {{required, nullptr}, {preferred, nullptr}}}});
  expect_added_once({{"podAffinity", {{required, json::array()}}},
                     {"podAntiAffinity", {{required, json::array()}, {preferred, json::array()}}}});
  expect_added_once(
      {{"podAffinity", {{required, {user_term("a"), user_term("b")}}}},
       {"podAntiAffinity",
        {{required, {user_term("c")}}, {preferred, {weighted("d"), weighted("e")}}}}});
  expect_added_once({{"podAffinity", {{preferred, {weighted("a")}}}}});
  expect_added_once({{"podAffinity", {{"x", 1}}}, {"y", {{"z", 2}}}});
}

TEST(BesideOurs, a_term_with_another_key_is_replaced_in_its_place) {
  auto answer = admit(job());
  json pod = answer.object;
  json& anti = pod["spec"]["affinity"]["podAntiAffinity"];
  json& affinity = pod["spec"]["affinity"]["podAffinity"][required];
  affinity.insert(affinity.begin(), user_term("first"));
  affinity.push_back(user_term("last"));
  for (json* list : {&affinity, &anti[required], &anti[preferred]})
    for (json& term : *list) {
      std::string text = term.dump();
      if (const auto at = text.find(key_of(answer)); at != std::string::npos) {
        text.replace(at, 32, std::string(32, '0'));
        term = json::parse(text);
      }
    }
  const auto again = admit_pod(pod);
  const json& now = again.object["spec"]["affinity"]["podAffinity"][required];
  EXPECT_EQ(again.patch.size(), 3u);
  EXPECT_EQ(now.size(), 3u);
  EXPECT_EQ(now[0], user_term("first"));
  EXPECT_EQ(now[1], terms(answer, "podAffinity")[0]);
  EXPECT_EQ(now[2], user_term("last"));
  EXPECT_EQ(again.object["spec"]["affinity"]["podAntiAffinity"],
            answer.object["spec"]["affinity"]["podAntiAffinity"]);
}

// Another replica, of the release before, wrote it.
TEST(BesideOurs, the_own_term_of_an_earlier_release_stays) {
  json pod = admit(job()).object;
  pod["spec"]["affinity"]["podAffinity"][required][0]["namespaceSelector"] = json::object();
  EXPECT_TRUE(admit_pod(pod).patch.empty());
}

TEST(BesideOurs, a_list_of_namespaces_counts) {
  for (const char* kind : {"podAffinity", "podAntiAffinity"}) {
    json pod = admit(job()).object;
    json& term = pod["spec"]["affinity"][kind][required][0];
    term.erase("namespaceSelector");
    term["namespaces"] = {"other"};
    EXPECT_EQ(admit_pod(pod).object, admit(job()).object) << kind;
  }
}

TEST(BesideOurs, the_namespaces_of_a_term_count) {
  json pod = admit(job()).object;
  pod["spec"]["affinity"]["podAffinity"][required][0]["namespaceSelector"] = {
      {"matchLabels", {{"a", "b"}}}};
  const auto again = admit_pod(pod);
  EXPECT_EQ(again.object, admit(job()).object);
}

// --- Two hosts on one VM
// ----------------------------------------------------------------------------

json not_in(const json& values) {
  return {{"key", count_key}, {"operator", "NotIn"}, {"values", values}};
}

json node_terms(const Admitted& answer) {
  const json& spec = answer.object["spec"];
  const json::json_pointer at("/affinity/nodeAffinity/" + required + "/nodeSelectorTerms");
  return spec.contains(at) ? spec[at] : json::array();
}

PodBuilder two_hosts(const char* accelerator = "tpu-v6e-slice") {
  return a_pod().job("train", 1).accelerator(accelerator).on("2x4", 4);
}
json plus(json term) {
  term["matchExpressions"].push_back(not_in({"8"}));
  return term;
}
const json no_node_terms = json::array();

void expect_node_terms(const json& want, const std::vector<PodBuilder>& pods) {
  for (const PodBuilder& pod : pods) {
    const auto answer = admit(pod);
    EXPECT_EQ(node_terms(answer), want) << pod.pod();
    EXPECT_EQ(admit_pod(answer.object).patch, json::array()) << pod.pod();
  }
}

TEST(CountRule, keeps_hosts_off_larger_machines) {
  const std::string node = "/spec/affinity/nodeAffinity";
  expect_node_terms(
      list({plus({})}),
      {two_hosts(), two_hosts("tpu-v5-lite-podslice"), two_hosts().selector(count_key, ""),
       two_hosts().set("/spec/affinity", json::object()), two_hosts().set(node, json::object()),
       two_hosts().set(node + "/" + required, nullptr),
       two_hosts().set(node + "/" + required, json::object()),
       two_hosts().set("/spec/affinity", required_node(nullptr))});
  expect_node_terms(
      no_node_terms,
      {job(), a_pod().job("t", 0).on("2x4", 8), two_hosts("tpu-next"), two_hosts(""),
       two_hosts().selector(count_key, "4"), two_hosts().annotation(exclusive, "none"),
       two_hosts().selector(pool, "p"), two_hosts().label("kueue.x-k8s.io/queue-name", "q")});
}

TEST(CountRule, is_of_each_term_of_the_user) {
  const auto expect = [](const json& given, const json& want) {
    expect_node_terms(want, {two_hosts().set("/spec/affinity", required_node(given))});
  };
  const json a = in("zone", {"a"}), b = in("zone", {"b"}), four = in(count_key, {"4"}),
             no_expressions = {{"matchExpressions", json::array()}};
  expect(json::array(), json::array());
  expect(list({a}), list({plus(a)}));
  expect(list({a, b}), list({plus(a), plus(b)}));
  // An empty term matches no node, but would match some nodes if an expression were added.
  expect(list({json::object(), b}), list({json::object(), plus(b)}));
  expect(list({json::object(), no_expressions}), list({json::object(), no_expressions}));
  expect(list({four, b}), list({four, plus(b)}));
  const json fields = {
      {"matchFields", list({{{"key", "metadata.name"}, {"operator", "In"}, {"values", {"n"}}}})}};
  for (const json& none : {json(), json::array()}) {
    json term = fields;
    term["matchExpressions"] = none;
    expect(list({term}), list({plus(fields)}));
  }
  expect(list({fields}), list({plus(fields)}));
}

TEST(CountRuleEverywhere, is_the_catalogs) {
  // Every shape that exists with several sizes of machines excludes the others.
  const auto values = node_terms(admit(two_hosts()))[0]["matchExpressions"][0]["values"];
  EXPECT_EQ(values, json::array({"8"}));
  for (const char* topology : {"4x4", "4x8", "8x8", "8x16", "16x16"})
    EXPECT_EQ(node_terms(admit(two_hosts().topology(topology))), no_node_terms) << topology;
}

// --- Followers of a JobSet's leader -----------------------------------------------------------

// Knows one leader, and that it is asked for by JobSet's labels.
class LeaderOn final : public read::ClusterView {
 public:
  explicit LeaderOn(std::string domain) : domain_(std::move(domain)) {}
  std::optional<std::string> leader_domain(const read::JobOfJobSet& job,
                                           std::string_view key) const override {
    const bool asked = job.ns == "default" && job.jobset == "s" && job.replicated_job == "r" &&
                       job.job_index == "0" && !job.job_uid.empty() && key == pool;
    if (!asked || domain_.empty()) return std::nullopt;
    return domain_;
  }

 private:
  const std::string domain_;
};

const char* const jobset_exclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology";

Admitted placed(const PodBuilder& pod, const read::ClusterView& cluster) {
  return admit(pod, {.cluster = &cluster});
}

std::string selected(const Admitted& answer) {
  return answer.object["spec"]["nodeSelector"].value(pool, "");
}

TEST(Follower, selects_the_pool_of_its_leader) {
  const LeaderOn cluster("pool-a");
  const auto answer = placed(jobset().annotation(jobset_exclusive, pool), cluster);
  EXPECT_EQ(selected(answer), "pool-a");
  EXPECT_FALSE(answer.object["spec"].contains("affinity"));  // pinned: the labels alone
  EXPECT_FALSE(key_of(answer).empty());
  EXPECT_TRUE(admit_pod(answer.object, {.cluster = &cluster}).patch.empty());
}

// For whoever explains it.
TEST(Follower, is_said_to_follow_to_the_domain_of_its_leader) {
  std::string review = jobset().annotation(jobset_exclusive, pool).review();
  answer::Workspace workspace;
  const auto answer = answer::admit(read::Body(review), {}, LeaderOn("pool-a"), workspace);
  ASSERT_NE(answer.told, nullptr);
  EXPECT_EQ(answer.told->placement.why, Terms::follows);
  EXPECT_EQ(answer.told->placement.topology_key, pool);
  EXPECT_EQ(answer.told->placement.domain, "pool-a");
}

TEST(Follower, without_a_leader_that_is_bound_gets_terms) {
  const auto answer = placed(jobset().annotation(jobset_exclusive, pool), LeaderOn(""));
  EXPECT_EQ(selected(answer), "");
  EXPECT_TRUE(answer.object["spec"].contains("affinity"));
}

TEST(Follower, gets_terms_if_followers_are_off) {
  const LeaderOn cluster("pool-a");
  Around around{.cluster = &cluster};
  around.config.followers = false;
  const auto answer = admit(jobset().annotation(jobset_exclusive, pool), around);
  EXPECT_EQ(selected(answer), "");
  EXPECT_TRUE(answer.object["spec"].contains("affinity"));
}

TEST(Follower, keeps_a_selector_of_its_own) {
  auto pod = jobset().annotation(jobset_exclusive, pool).selector(pool, "pool-b");
  const auto answer = placed(pod, LeaderOn("pool-a"));
  EXPECT_EQ(selected(answer), "pool-b");
  EXPECT_TRUE(
      has(answer.warnings, "is pool-b and was kept, but the leader of this Job runs on pool-a"));
  EXPECT_TRUE(placed(pod, LeaderOn("pool-b")).warnings.empty());
}

TEST(Follower, is_no_leader_nor_one_without_the_annotation) {
  const LeaderOn cluster("pool-a");
  const auto leader = a_pod().jobset("s", "r", 1, 0, 0).on("4x4", 4);
  EXPECT_EQ(selected(placed(PodBuilder(leader).annotation(jobset_exclusive, pool), cluster)), "");
  EXPECT_EQ(selected(placed(jobset(), cluster)), "");
  EXPECT_EQ(
      selected(placed(
          jobset().annotation(jobset_exclusive, pool).ours("exclusive-topology", "none"), cluster)),
      "");
}

// For whoever explains it.
TEST(TermsOfAPod, say_why_there_are_some_or_none) {
  const auto why = [](const PodBuilder& pod, const config::Config& config = {}) {
    std::string review = pod.review();
    answer::Workspace workspace;
    const auto answer = answer::admit(read::Body(review), config, read::NoCluster(), workspace);
    return answer.told == nullptr ? Terms::undecided : answer.told->placement.why;
  };
  EXPECT_EQ(why(a_pod().on("2x2", 4)), Terms::single_host);
  EXPECT_EQ(why(job()), Terms::added);
  EXPECT_EQ(why(job(), {.placement = false}), Terms::switched_off);
  EXPECT_EQ(why(job().selector(pool, "p")), Terms::pinned);
  EXPECT_EQ(why(job().annotation("cloud.google.com/gke-tpu-slice-topology", "2x4")),
            Terms::part_of_slice);
  EXPECT_EQ(why(job().annotation("kueue.x-k8s.io/podset-required-topology", "a")),
            Terms::kueue_topology);
  EXPECT_EQ(why(job().label("kueue.x-k8s.io/queue-name", "q")), Terms::kueue_compares);
  EXPECT_EQ(why(job().annotation(exclusive, "none")), Terms::not_wanted);
  EXPECT_EQ(why(job().annotation(exclusive, "a/b/c")), Terms::invalid_key);
}

// As no shape of the catalog has it: two other sizes of machines.
TEST(NodeAffinity, says_what_there_is_to_say) {
  const auto written = [](const topology::OtherChips& others, const base::NameList& unfit) {
    const ReadPod read(job());
    const config::Config config;
    Affinities affinities;
    write::Patch patch;
    patch.clear(config.prefix);
    Placement placement;
    placement.why = Terms::added;
    placement.topology_key = pool;
    placement.not_on = others;
    write_placement(config, placement, {read.pod, unfit, affinities, patch});
    EXPECT_FALSE(patch.is_spoiled());
    for (const json& operation : json::parse(patch.finish()))
      if (operation["path"] == "/spec/affinity")
        return operation["value"].value("nodeAffinity", json());
    return json();
  };
  base::NameList none, some;
  some.add("a");
  some.add("b");
  const json required_node = written({{4, 8}, 2}, none), both = written({{4, 8}, 2}, some);
  EXPECT_EQ(required_node[required]["nodeSelectorTerms"][0]["matchExpressions"],
            json::array({not_in({"4", "8"})}));
  EXPECT_EQ(required_node.size(), 1u);
  EXPECT_EQ(both[required], required_node[required]);
  EXPECT_EQ(both.size(), 2u);
  EXPECT_EQ(written({}, some), json({{preferred, both[preferred]}}));
  EXPECT_EQ(written({}, none), json());
}

// Of any number of slices the keys of a few are kept.
TEST(SliceKeysTest, keep_no_more_than_a_few) {
  SliceKeys keys;
  const auto ask = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      const std::string name = "slice-" + std::to_string(i);
      const std::array<std::string_view, 4> parts{"ns", "Job", name, "0"};
      ASSERT_EQ(keys.of(parts), base::hash(parts));
    }
  };
  ask(0, 1000);
  const std::size_t before = heap_bytes();
  ask(0, 10'000);
  EXPECT_LT(heap_bytes(), before + 4096);
}

}  // namespace
}  // namespace tpuwh::webhook::placement
