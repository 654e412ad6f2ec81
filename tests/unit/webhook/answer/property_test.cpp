// What must hold of every Pod, on Pods made at random. The seed is printed with each
// failure; TPUWH_SEED takes it and TPUWH_ROUNDS says how many Pods.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/admitted.hpp"
#include "tests/support/json_text.hpp"
#include "webhook/read/vocabulary.hpp"

namespace tpuwh::webhook::answer {
namespace {

using namespace test;
using test::admit;

std::uint32_t from_environment(const char* name, std::uint32_t standard) {
  const char* text = std::getenv(name);
  return text == nullptr ? standard : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed) {}

  PodBuilder pod();
  // The same Pod with members that nobody knows in any of its objects.
  json with_unknown(const json& pod);

 private:
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return *(list.begin() + below(static_cast<std::uint32_t>(list.size())));
  }
  std::string text() {
    return one_of<const char*>({"0", "1", "2", "7", "", "localhost", "localhost:8471",
                                "localhost,localhost", "8471", "8080", "9000",
                                "$(TPU_DEVICE_PLUGIN_HOST_IP):2112", "$(A)", "x,y", "\"quoted\"\n",
                                "train-0.svc,train-1.svc"});
  }
  void identity(PodBuilder& pod);
  void hardware(PodBuilder& pod);
  void env(PodBuilder& pod);
  void said_by_user(PodBuilder& pod);
  void odds_and_ends(PodBuilder& pod);
  json requirement();
  json pod_terms(bool weighted);
  json affinity();
  void add_unknown(json& value, const std::string& at);

  std::mt19937 random_;
};

void Maker::identity(PodBuilder& pod) {
  switch (below(11)) {
    case 0:
      break;
    case 8:
      pod.lws("vllm", below(2), below(5), one_of({2u, 4u, 5u}));
      if (chance(50)) pod.annotation("leaderworkerset.sigs.k8s.io/leader-requests-tpus", "true");
      if (chance(40)) pod.annotation("leaderworkerset.sigs.k8s.io/subgroup-size", "2");
      if (chance(20))
        pod.annotation("leaderworkerset.sigs.k8s.io/subgroup-policy-type", "LeaderExcluded");
      break;
    case 9:
      pod.statefulset("sax", below(9));
      if (chance(20)) pod.ours("start-ordinal", one_of({"1", "x", ""}));
      break;
    case 10:
      pod.ray("c", "g", 0, 0).label("ray.io/worker-group-replica-index", "");
      if (chance(50)) pod.label("ray.io/replica-host-index", "");
      if (chance(20)) pod.label("tpu-webhook.dev/token", one_of({"1-0-0123456789abcdef", "x"}));
      break;
    case 1:
    case 2:
      pod.job("train", below(5));
      break;
    case 3:
    case 4:
      pod.jobset("set", one_of({"r", "a-b"}), below(4), below(3), below(5));
      break;
    case 5:
    case 6:
      pod.ray("c", "g", below(3), below(5));
      break;
    default:
      pod.jobset("set", "r", 2, below(2), below(2)).label("jobset.sigs.k8s.io/group-name", "g");
      pod.label("jobset.sigs.k8s.io/group-replicas", one_of({"2", "4"}));
  }
}

void Maker::hardware(PodBuilder& pod) {
  struct Shape {
    const char* accelerator;
    const char* topology;
    int chips;
  };
  const auto shape = one_of<Shape>({{"tpu-v6e-slice", "2x4", 4},
                                    {"tpu-v6e-slice", "2x4", 8},
                                    {"tpu-v6e-slice", "4x4", 4},
                                    {"tpu-v6e-slice", "2x2", 4},
                                    {"tpu-v5p-slice", "2x2x2", 4},
                                    {"tpu7x", "2x2x1", 4},
                                    {"tpu7x", "2x2x2", 4},
                                    {"tpu7x", "2x2x4", 4},
                                    {"tpu7", "2x2x2", 4},
                                    {"", "2x4", 4},
                                    {"tpu-next", "2x4", 4},
                                    {"tpu-v6e-slice", "4x4", 3}});
  pod.accelerator(shape.accelerator).topology(shape.topology);
  const int containers = one_of({1, 1, 1, 2, 2, 4});
  const auto quantity = [&]() -> json {
    const int chips = std::max(1, shape.chips / containers);
    if (chance(30)) return chips;
    return chance(20) ? std::to_string(chips) + "000m" : std::to_string(chips);
  };
  pod.tpu(quantity());
  env(pod);
  for (int i = 1; i < containers; ++i) {
    if (chance(20))
      pod.sidecar("s" + std::to_string(i));
    else
      pod.container("c" + std::to_string(i));
    pod.tpu(quantity());
    env(pod);
  }
  for (std::uint32_t i = below(3); i > 0; --i) {
    if (chance(50))
      pod.init_container("i" + std::to_string(i));
    else
      pod.container("plain" + std::to_string(i));
    if (chance(10)) pod.tpu(quantity());
    env(pod);
  }
  if (chance(10))
    pod.annotation("cloud.google.com/gke-tpu-slice-topology", one_of({"2x4", "2x2", "", "4x4"}));
  if (chance(5)) pod.remove("/spec/nodeSelector");
}

void Maker::env(PodBuilder& pod) {
  if (chance(30)) return;
  for (std::uint32_t i = below(7); i > 0; --i) {
    const std::string name = chance(60)
                                 ? std::string(read::variable_names[below(read::variable_count)])
                                 : one_of<std::string>({"A", "B", "PATH"});
    switch (below(6)) {
      case 0:
        pod.env_from(name, one_of({"status.hostIP", "metadata.name"}));
        break;
      case 1:
        pod.env_entry({{"name", name}});
        break;
      case 2:
        pod.env_entry({{"value", text()}, {"name", name}, {"valueFrom", nullptr}});
        break;
      default:
        pod.env(name, text());
    }
  }
}

json Maker::requirement() {
  const std::string key = one_of<std::string>(
      {"zone", "cloud.google.com/gke-nodepool", "cloud.google.com/gke-accelerator-count",
       "cloud.google.com/gke-tpu-topology", "tpu-webhook.dev/slice-key"});
  json out = {{"key", key}, {"operator", one_of({"In", "NotIn", "Exists"})}};
  if (chance(80)) out["values"] = chance(50) ? json::array({"a"}) : json::array({"a", "b"});
  return out;
}

json Maker::pod_terms(bool weighted) {
  json list = json::array();
  for (std::uint32_t i = below(3); i > 0; --i) {
    json term = {{"topologyKey", one_of({"zone", "cloud.google.com/gke-nodepool"})}};
    if (chance(80)) term["labelSelector"] = {{"matchExpressions", json::array({requirement()})}};
    if (chance(30)) term["namespaceSelector"] = json::object();
    list.push_back(weighted ? json{{"weight", 5}, {"podAffinityTerm", term}} : term);
  }
  return list;
}

json Maker::affinity() {
  const auto maybe = [&](json& object, const char* key, const json& value) {
    if (chance(60)) object[key] = chance(15) ? json() : value;
  };
  json out = json::object(), node = json::object(), pod = json::object(), anti = json::object(),
       required = json::object();
  json terms = json::array();
  for (std::uint32_t i = below(4); i > 0; --i) {
    json term = json::object();
    maybe(term, "matchExpressions", chance(80) ? json::array({requirement()}) : json::array());
    if (chance(20)) term["matchFields"] = json::array({requirement()});
    terms.push_back(term);
  }
  maybe(required, "nodeSelectorTerms", terms);
  maybe(node, "requiredDuringSchedulingIgnoredDuringExecution", required);
  for (json* kind : {&pod, &anti}) {
    maybe(*kind, "requiredDuringSchedulingIgnoredDuringExecution", pod_terms(false));
    maybe(*kind, "preferredDuringSchedulingIgnoredDuringExecution", pod_terms(true));
  }
  maybe(out, "nodeAffinity", node);
  maybe(out, "podAffinity", pod);
  maybe(out, "podAntiAffinity", anti);
  return out;
}

void Maker::said_by_user(PodBuilder& pod) {
  const auto maybe = [&](std::uint32_t percent, const char* name, const json& value) {
    if (chance(percent)) pod.ours("" + std::string(name), value);
  };
  const std::uint32_t percent = chance(15) ? 60 : 1;
  maybe(percent, "worker-id", one_of({"0", "1", "01", ""}));
  maybe(percent / 2, "worker-count", one_of({"2", "4", "x"}));
  maybe(percent, "hostnames", one_of({"a.s,b.s", "a,b,c,d", "a,a", "a,", ","}));
  maybe(percent / 2, "slice-id", one_of({"0", "1", "9"}));
  maybe(percent / 2, "slice-count", one_of({"1", "2", "0"}));
  maybe(percent / 2, "coordinator", one_of({"a.s", "no name"}));
}

void Maker::odds_and_ends(PodBuilder& pod) {
  if (chance(50)) pod.set("/spec/affinity", chance(10) ? json() : affinity());
  if (chance(10)) pod.label("kueue.x-k8s.io/queue-name", "q");
  if (chance(10)) pod.annotation("kueue.x-k8s.io/podset-required-topology", "x");
  if (chance(10)) pod.ours("exclusive-topology", one_of({"none", "a/b", "no key"}));
  if (chance(10)) pod.annotation("alpha.jobset.sigs.k8s.io/exclusive-topology", "c/d");
  if (chance(5))
    pod.ours("injected",
             one_of({"", "v1;12345678;main:TPU_WORKER_ID=12345678", "garbage", "v2;x"}));
  if (chance(5)) pod.ours("slice", "x");
  if (chance(5)) pod.label("tpu-webhook.dev/slice-key", "x");
  if (chance(5)) pod.label("replicaIndex", "mine");
  if (chance(20)) pod.set("/spec/priority", one_of<json>({1000, -5, nullptr}));
  if (chance(5)) pod.selector("cloud.google.com/gke-nodepool", "p");
  if (chance(5)) pod.selector("cloud.google.com/gke-accelerator-count", "4");
  if (chance(10)) pod.set("/spec/subdomain", one_of<json>({nullptr, "", "other"}));
  if (chance(10)) pod.set("/spec/hostname", one_of<json>({nullptr, ""}));
  if (chance(3)) pod.set("/metadata/labels", nullptr);
  if (chance(3)) pod.set("/metadata/annotations", nullptr);
  if (chance(5)) pod.set("/spec/containers/0/env", one_of<json>({nullptr, json::array()}));
  if (chance(10)) pod.label("jobset.sigs.k8s.io/job-index", one_of({"", "01", "0"}));
}

PodBuilder Maker::pod() {
  PodBuilder pod;
  hardware(pod);
  identity(pod);
  odds_and_ends(pod);
  said_by_user(pod);
  return pod;
}

void Maker::add_unknown(json& value, const std::string& at) {
  if (value.is_object()) {
    for (auto& [key, member] : value.items()) add_unknown(member, at + "/" + key);
    // The empty selector of namespaces means all of them; another member is a condition.
    if (at.ends_with("/namespaceSelector") || !chance(60)) return;
    const char* key = one_of({"x-unknown", "zz", "A", "nam", "names", "Name"});
    const bool map =
        at.ends_with("/labels") || at.ends_with("/annotations") || at.ends_with("/nodeSelector");
    if (map) {
      value[key] = "text";
      return;
    }
    value[key] = one_of<json>({"text",
                               5,
                               nullptr,
                               json::array({1, {{"deep", {1, 2}}}}),
                               {{"name", "TPU_WORKER_ID"}, {"value", "9"}}});
  } else if (value.is_array()) {
    for (json& element : value) add_unknown(element, at + "/*");
  }
}

json Maker::with_unknown(const json& pod) {
  json out = pod;
  add_unknown(out, "");
  return out;
}

// --- What must hold ---------------------------------------------------------------------------

// What may never change: the Pod without what the surface declares.
json untouched(json pod) {
  for (const char* map : {"labels", "annotations"}) {
    json& metadata = pod["metadata"];
    if (!metadata.contains(map) || metadata[map].is_null()) {
      metadata.erase(map);
      continue;
    }
    json left = json::object();
    for (const auto& [key, value] : metadata[map].items())
      if (!key.starts_with("tpu-webhook.dev/") && key != "replicaIndex") left[key] = value;
    metadata[map] = left;
    if (left.empty()) metadata.erase(map);
  }
  for (const char* member : {"affinity", "hostname", "subdomain"}) pod["spec"].erase(member);
  for (const char* list : {"containers", "initContainers"})
    if (pod["spec"].contains(list))
      for (json& container : pod["spec"][list]) container.erase("env");
  return pod;
}

bool is_default(const std::string& name, const json& entry) {
  const std::string value = entry.value("value", "");
  return (name == "TPU_WORKER_ID" && value == "0") ||
         (name == "TPU_WORKER_HOSTNAMES" && value == "localhost") ||
         (name == "TPU_PROCESS_ADDRESSES" && value.starts_with("localhost"));
}

std::size_t count(const json& env, const std::string& name) {
  return static_cast<std::size_t>(std::count_if(
      env.begin(), env.end(), [&](const json& each) { return each["name"] == name; }));
}

json env_of(const json& container) {
  return container.contains("env") && !container["env"].is_null() ? container["env"]
                                                                  : json::array();
}

void expect_env_kept(const json& before, const json& after, bool tpu) {
  const json was = env_of(before), is = env_of(after);
  if (!tpu) {
    EXPECT_EQ(before, after) << "no TPU container";
    return;
  }
  std::map<std::string, int> names;
  for (const json& each : was) ++names[each["name"].get<std::string>()];
  std::vector<json> theirs;
  for (const json& each : is) {
    const std::string name = each["name"];
    if (names.contains(name))
      theirs.push_back(each);
    else
      EXPECT_EQ(count(is, name), 1u) << name;
  }
  ASSERT_EQ(theirs.size(), was.size());
  for (std::size_t i = 0; i < was.size(); ++i) {
    EXPECT_EQ(theirs[i]["name"], was[i]["name"]);
    if (theirs[i] == was[i]) continue;
    EXPECT_TRUE(is_default(was[i]["name"], was[i])) << was[i] << theirs[i];
    EXPECT_TRUE(std::none_of(was.begin() + static_cast<std::ptrdiff_t>(i) + 1, was.end(),
                             [&](const json& later) { return later["name"] == was[i]["name"]; }));
  }
}

bool asks_for_chips(const json& container) {
  const json::json_pointer at("/resources/limits/google.com~1tpu");
  return container.contains(at);
}

// A record of an earlier pass allows what it records to be replaced.
bool has_record(const json& pod) {
  return pod["metadata"].contains("annotations") && pod["metadata"]["annotations"].is_object() &&
         (pod["metadata"]["annotations"].contains("tpu-webhook.dev/injected") ||
          pod["metadata"]["annotations"].contains("tpu-webhook.dev/slice"));
}

void check(const json& pod, Maker& maker) {
  const Admitted first = admit_pod(pod);  // strict application, surface and form are checked there
  ASSERT_EQ(first.status, 200u) << first.message;
  EXPECT_EQ(untouched(pod), untouched(first.object));
  for (const char* list : {"containers", "initContainers"}) {
    if (!pod["spec"].contains(list)) continue;
    ASSERT_EQ(pod["spec"][list].size(), first.object["spec"][list].size());
    for (std::size_t i = 0; i < pod["spec"][list].size(); ++i)
      expect_env_kept(pod["spec"][list][i], first.object["spec"][list][i],
                      asks_for_chips(pod["spec"][list][i]));
  }
  const Admitted unknown = admit_pod(maker.with_unknown(pod));
  EXPECT_EQ(unknown.patch, first.patch);
  EXPECT_EQ(unknown.warnings, first.warnings);
  EXPECT_EQ(admit(reversed(review_of(pod))).patch, first.patch);
  if (!first.allowed) return;
  const Admitted second = admit_pod(first.object);
  EXPECT_EQ(second.patch, json::array());
  EXPECT_EQ(second.warnings, first.warnings);
}

TEST(EveryPod, keeps_its_promises) {
  const std::uint32_t first = from_environment("TPUWH_SEED", 1),
                      rounds = from_environment("TPUWH_ROUNDS", 3000);
  std::map<std::string_view, std::uint32_t> reasons;
  for (std::uint32_t seed = first; seed < first + rounds; ++seed) {
    Maker maker(seed);
    json pod = maker.pod().pod();
    if (has_record(pod) && seed % 2 == 0) pod["metadata"].erase("annotations");
    SCOPED_TRACE("TPUWH_SEED=" + std::to_string(seed) + " TPUWH_ROUNDS=1 " + pod.dump());
    check(pod, maker);
    ++reasons[outcome::name(admit_pod(pod).reason)];
    if (testing::Test::HasFailure()) return;
  }
  if (rounds < 1000) return;
  for (const char* reason : {"injected", "single_host", "bad_index", "no_identity", "no_topology",
                             "inconsistent", "bad_topology"})
    EXPECT_GT(reasons[reason], 0u) << reason << " never happened";
  EXPECT_GT(reasons["injected"], rounds / 5);
}

bool has_duplicates(const json& pod) {
  for (const char* list : {"containers", "initContainers"})
    for (const json& container : pod["spec"].value(list, json::array()))
      for (const json& each : env_of(container))
        if (count(env_of(container), each["name"]) > 1) return true;
  return false;
}

// A Pod that was changed at random after the first pass settles in the second. Not so
// where a user's own duplicate stands behind a default that we replaced and now take
// away: that one counts from then on, so a third pass sees another Pod.
TEST(EveryPod, settles_after_a_change) {
  const std::uint32_t first = from_environment("TPUWH_SEED", 1),
                      rounds = from_environment("TPUWH_ROUNDS", 3000);
  for (std::uint32_t seed = first; seed < first + rounds; ++seed) {
    Maker maker(seed);
    std::mt19937 random(seed);
    json pod = admit(maker.pod()).object;
    const json other = maker.pod().pod();
    auto pointers = pointers_of(pod);
    for (int changes = 0; changes < 3; ++changes) {
      const json::json_pointer at(pointers[random() % pointers.size()]);
      if (!pod.contains(at) || at.to_string().find("/name") != std::string::npos) continue;
      if (other.contains(at) && random() % 2 == 0)
        pod[at] = other[at];
      else if (pod[at.parent_pointer()].is_object() && at.parent_pointer() != json::json_pointer())
        pod[at.parent_pointer()].erase(at.back());
    }
    SCOPED_TRACE("TPUWH_SEED=" + std::to_string(seed) + " TPUWH_ROUNDS=1 " + pod.dump());
    if (has_duplicates(pod)) continue;
    const Admitted again = admit_pod(pod);
    if (again.status == 200 && again.allowed) {
      EXPECT_EQ(admit_pod(again.object).patch, json::array()) << again.patch;
    }
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace tpuwh::webhook::answer
