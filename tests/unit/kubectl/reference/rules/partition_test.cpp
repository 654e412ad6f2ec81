// The proof that the entries share the Pods: no Pod that concerns the webhook reaches none, none
// reaches two, and each is in one of the mode of its workload API. By every subset and empty value
// of the labels that entries are chosen by or tested for, every kind of owner and what a Pod asks
// for, and all that modes can be.
//
// Conditions are made of parts, and so is the proof. The parts that name a workload API are
// evaluated for every Pod and agree with the function that the program decides by. What is left are
// classes: which keys a Pod has, of which workload API it is, and what it asks for. Of each class
// one Pod is put to each entry, by its selector and its whole condition.
#include "kubectl/reference/rules/entries.hpp"
#include "tests/unit/kubectl/reference/rules/cel.hpp"

#include "webhook/workloads/table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "tests/support/read_pod.hpp"

namespace tpuwh::server::rules {
namespace {

using test::cel::Expression;
using webhook::config::Config;
using webhook::config::Mode;
using webhook::workloads::Workload;
using Json = nlohmann::ordered_json;

struct Label {
  const char* key;
  std::vector<const char*> values;  // null: it is not there
};

const std::vector<Label> labels = {
    {"ray.io/node-type", {nullptr, "", "worker", "head"}},
    {"ray.io/cluster", {nullptr, "", "c"}},
    {"ray.io/group", {nullptr, "", "g"}},
    {"leaderworkerset.sigs.k8s.io/name", {nullptr, "", "l"}},
    {"jobset.sigs.k8s.io/jobset-name", {nullptr, "", "s"}},
    {"batch.kubernetes.io/job-name", {nullptr, "", "j"}},
    {"job-name", {nullptr, "", "j"}},
};

Json owner(const char* kind, std::optional<bool> controller) {
  Json out = {{"apiVersion", "v1"}, {"kind", kind}, {"name", "o"}, {"uid", "u"}};
  if (controller) out["controller"] = *controller;
  return out;
}

const std::vector<Json> owners = {
    nullptr,
    Json::array(),
    Json::array({owner("Job", true)}),
    Json::array({owner("StatefulSet", true)}),
    Json::array({owner("ReplicaSet", true)}),
    Json::array({owner("StatefulSet", false), owner("Job", true)}),
    Json::array({owner("Job", false), owner("StatefulSet", std::nullopt)}),
    Json::array({owner("ReplicaSet", std::nullopt), owner("Job", std::nullopt)}),
    Json::array({owner("JobSet", true), owner("StatefulSet", true)}),
};

enum Asks : unsigned { tpu = 1, at_first = 2, claims = 4, annotated = 8, gpus = 16 };
constexpr unsigned all_asks = 32;

Json pod_of(const Json& its_labels, const Json& its_owners, unsigned asks) {
  const Json chips = {{"limits", {{"google.com/tpu", "4"}}}};
  Json pod = {{"metadata", {{"name", "p"}}},
              {"spec",
               {{"containers",
                 Json::array({{{"name", "c"}, {"resources", {{"limits", {{"cpu", "1"}}}}}}})}}}};
  if (!its_labels.empty()) pod["metadata"]["labels"] = its_labels;
  if (!its_owners.is_null()) pod["metadata"]["ownerReferences"] = its_owners;
  if ((asks & tpu) != 0) pod["spec"]["containers"][0]["resources"] = chips;
  if ((asks & at_first) != 0)
    pod["spec"]["initContainers"] = Json::array({{{"name", "i"}, {"resources", chips}}});
  if ((asks & claims) != 0)
    pod["spec"]["resourceClaims"] = Json::array({{{"name", "x"}, {"resourceClaimName", "x"}}});
  pod["spec"]["nodeSelector"] = {{"others.dev/x", ""}};
  if ((asks & gpus) != 0) pod["spec"]["nodeSelector"]["cloud.google.com/gke-accelerator"] = "x";
  pod["metadata"]["annotations"] = {{"others.dev/x", ""}};
  if ((asks & annotated) != 0) pod["metadata"]["annotations"]["tpu-webhook.dev/worker-id"] = "0";
  return pod;
}

// Every combination of labels.
template <class Do>
void each_labels(Do&& act) {
  std::vector<std::size_t> at(labels.size());
  for (;;) {
    Json made = Json::object();
    for (std::size_t i = 0; i < at.size(); ++i)
      if (const char* value = labels[i].values[at[i]]) made[labels[i].key] = value;
    act(made);
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == labels[i].values.size()) at[i++] = 0;
    if (i == at.size()) return;
  }
}

// Pods of one class are alike to every entry, if each part of a condition is.
struct Class {
  Json pod;
  const Workload* workload;
  unsigned asks;
  unsigned keys;  // a bit for each key by which entries are chosen
};

// Returns the bits (Class::keys) of the label keys for which `has` returns true.
template <class Has>
unsigned keys_where(Has&& has) {
  unsigned out = 0, bit = 1;
  for (const Workload& each : webhook::workloads::workloads()) {
    if (!each.label_key.empty() && has(std::string(each.label_key))) out |= bit;
    bit *= 2;
  }
  return out;
}

unsigned keys_in(const std::vector<std::string>& keys) {
  return keys_where(
      [&](const std::string& key) { return std::ranges::find(keys, key) != keys.end(); });
}

// The parts that conditions are put together from, evaluated once for each class, and every
// condition with the parts' values in their place.
class Evaluated {
 public:
  explicit Evaluated(const std::vector<Class>& classes) {
    const Conditions is = conditions("tpu-webhook.dev/");
    for (const OfWorkload& each : of_workloads()) parts_.push_back(each.expression);
    for (const std::string& each : {is.asks_for_tpu, is.has_claims, is.selects_gpus, is.annotated})
      parts_.push_back(each);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Expression part(parts_[i]);
      for (std::size_t at = 0; at < classes.size(); ++at) {
        if (i == 0) values_.push_back(Json::object());
        values_[at][fmt::format("part{}", i)] = part.holds(classes[at].pod);
      }
    }
  }

  // By the classes' order.
  const std::vector<char>& met(const std::string& text) {
    std::vector<char>& out = met_[text];
    if (!out.empty()) return out;
    std::vector<char>& shared = met_in_parts_[in_parts(text)];
    if (shared.empty()) {
      const Expression expression(in_parts(text));
      for (const Json& each : values_) shared.push_back(expression.holds(each) ? 1 : 0);
    }
    return out = shared;
  }

 private:
  std::string in_parts(std::string text) const {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      for (std::size_t at = 0; (at = text.find(parts_[i], at)) != text.npos;)
        text.replace(at, parts_[i].size(), fmt::format("object.part{}", i));
    EXPECT_EQ(text.find("metadata"), text.npos) << text;
    EXPECT_EQ(text.find("spec"), text.npos) << text;
    return text;
  }

  std::vector<std::string> parts_;
  std::vector<Json> values_;
  std::map<std::string, std::vector<char>> met_, met_in_parts_;
};

class Partition : public testing::Test {
 protected:
  // Makes the Pods once for all tests, because there are many: 2,916 sets of labels with nine sets
  // of owners each.
  static void SetUpTestSuite() {
    std::vector<std::pair<std::string, Expression>> is;
    for (const OfWorkload& each : of_workloads())
      is.emplace_back(each.workload, Expression(each.expression));
    std::set<std::pair<unsigned, std::string_view>> known;
    each_labels([&](const Json& made) {
      for (const Json& by : owners) {
        const Json pod = pod_of(made, by, tpu);
        const test::ReadPod read(pod.dump());
        ASSERT_TRUE(read.good);
        const Workload& workload = webhook::workloads::workload_of(read.pod);
        for (const auto& [name, condition] : is)
          ASSERT_EQ(condition.holds(pod), name == workload.name) << name << " " << pod.dump();
        ++pods_;
        const unsigned keys =
            keys_where([&](const std::string& key) { return made.contains(key); });
        if (!known.emplace(keys, workload.name).second) continue;
        for (unsigned asks = 0; asks < all_asks; ++asks)
          classes_.push_back({pod_of(made, by, asks), &workload, asks, keys});
      }
    });
    known_.emplace(classes_);
  }

  template <class Do>
  static void each_reached(bool claims, Do&& act);

  static inline std::vector<Class> classes_;
  static inline std::optional<Evaluated> known_;
  static inline int pods_ = 0;
};

// The entries of one configuration as an API server evaluates them.
class Reached {
 public:
  Reached(const std::vector<Class>& classes, Evaluated& known, const std::vector<Entry>& all)
      : classes_(classes) {
    for (const Entry& entry : all)
      if (entry.mode)
        met_.push_back({&entry, known.met(entry.expression).data(), keys_in(entry.present),
                        keys_in(entry.absent)});
  }

  std::vector<const Entry*> of(std::size_t index) const {
    std::vector<const Entry*> out;
    const unsigned keys = classes_[index].keys;
    for (const Met& each : met_)
      if (each.met[index] != 0 && (keys & each.present) == each.present &&
          (keys & each.absent) == 0)
        out.push_back(each.entry);
    return out;
  }

 private:
  struct Met {
    const Entry* entry;
    const char* met;  // by the classes' order
    unsigned present, absent;
  };
  const std::vector<Class>& classes_;
  std::vector<Met> met_;
};

// Of each workload API enforced, in shadow or left out; not all left out.
std::vector<Config> all_modes(bool claims = false) {
  std::vector<Config> out;
  const auto table = webhook::workloads::workloads();
  std::size_t count = 1;
  for (std::size_t i = 0; i < table.size(); ++i) count *= 3;
  for (std::size_t number = 1; number < count; ++number) {
    Config config;
    config.claims = claims;
    config.workloads = {};
    std::size_t digits = number;
    for (const Workload& workload : table) {
      if (digits % 3 != 0) config.workloads.add(workload.kind);
      if (digits % 3 == 2) config.of(workload.kind).mode = Mode::shadow;
      digits /= 3;
    }
    out.push_back(config);
  }
  return out;
}

TEST(Conditions, are_no_more_than_two_for_a_pod_without_labels) {
  for (const Config& config : all_modes())
    EXPECT_LE(
        std::ranges::count_if(entries(config),
                              [](const Entry& each) { return each.mode && each.present.empty(); }),
        2);
}

std::string told(const Class& of, const Config& config, const std::vector<const Entry*>& found) {
  std::string out = of.pod.dump() + "\n";
  for (const Workload& each : webhook::workloads::workloads())
    out += fmt::format("{} {}, ", each.name,
                       !config.workloads.has(each.kind)              ? "off"
                       : config.mode_for(each.kind) == Mode::enforce ? "enforce"
                                                                     : "shadow");
  for (const Entry* entry : found) out += "\n" + entry->name + ": " + entry->expression;
  return out;
}

struct Asking {
  const char* name;
  const char* resource;
  bool selects_tpus, asks, claims;
};

// The names by which chips are asked for: those of every cluster, and those that a DeviceClass may
// have.
TEST(Conditions, let_through_whoever_may_ask_for_chips) {
  const Conditions is = conditions("tpu-webhook.dev/");
  const Expression asks(is.asks_for_tpu), claims(is.has_claims);
  for (const Asking& c : {
           Asking{"device plugin", "google.com/tpu", false, true, false},
           Asking{"the driver's class", "deviceclass.resource.kubernetes.io/tpu.google.com", false,
                  true, true},
           Asking{"another class", "deviceclass.resource.kubernetes.io/ours", false, false, true},
           Asking{"a name of a class", "acme.example/chips", true, false, true},
           Asking{"on other nodes", "acme.example/chips", false, false, false},
           Asking{"a GPU", "nvidia.com/gpu", false, false, false},
           Asking{"on TPU nodes", "cpu", true, false, false},
           Asking{"one letter more", "google.com/tpus", false, false, false},
       })
    for (const char* list : {"containers", "initContainers"}) {
      Json pod = pod_of(Json::object(), nullptr, 0);
      pod["spec"][list] =
          Json::array({{{"name", "a"}, {"resources", {{"limits", {{c.resource, "4"}}}}}}});
      if (c.selects_tpus)
        pod["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-accelerator"] = "tpu-v6e-slice";
      EXPECT_EQ(asks.holds(pod), c.asks) << c.name << " " << list;
      EXPECT_EQ(claims.holds(pod), c.claims) << c.name << " " << list;
    }
}

// Calls `act` for each configuration and class with the entries that Pods of the class reach.
template <class Do>
void Partition::each_reached(bool claims, Do&& act) {
  for (const Config& config : all_modes(claims)) {
    const auto all = entries(config);
    const Reached reached(classes_, *known_, all);
    for (std::size_t i = 0; i < classes_.size() && !HasFatalFailure(); ++i)
      act(config, classes_[i], reached.of(i));
  }
}

// If the Pod has exactly the label that its controller writes, it also reaches the entry for its
// workload API.
TEST_F(Partition, each_pod_that_concerns_the_webhook_reaches_one_entry_of_its_mode) {
  EXPECT_EQ(pods_, 2916 * 9);
  EXPECT_EQ(classes_.size() % all_asks, 0u);
  const Workload& last = webhook::workloads::workloads().back();
  each_reached(false, [&](const Config& config, const Class& of, const auto& found) {
    const bool handled = config.workloads.has(of.workload->kind);
    std::optional<Mode> want;
    if ((of.asks & (tpu | at_first)) != 0)
      want = config.mode_for(of.workload->kind);
    else if ((of.asks & claims) != 0)
      want = Mode::shadow;
    else if ((of.asks & annotated) != 0 && config.workloads.has(last.kind))
      want = config.mode_for(last.kind);
    if (!handled) want.reset();
    ASSERT_EQ(found.size(), want ? 1u : 0u) << told(of, config, found);
    if (!want) return;
    ASSERT_EQ(found[0]->mode, want) << told(of, config, found);
    if ((of.asks & (tpu | at_first | claims)) == claims) {
      ASSERT_TRUE(found[0]->claims) << told(of, config, found);
    }
    if ((of.asks & tpu) == 0 || of.keys != keys_in({std::string(of.workload->label_key)})) return;
    ASSERT_TRUE(std::ranges::count(found[0]->workloads, of.workload->name))
        << told(of, config, found);
  });
}

// Where claims are read a Pod by claim is as one by limit, whatever its labels and the modes; but
// who waits for nobody may be left out where its nodes have GPUs.
TEST_F(Partition, a_pod_by_claim_reaches_one_entry_of_its_mode_where_claims_are_read) {
  each_reached(true, [](const Config& config, const Class& of, const auto& found) {
    const bool by_limit = (of.asks & (tpu | at_first)) != 0;
    const bool by_claim = !by_limit && (of.asks & claims) != 0;
    ASSERT_LE(found.size(), 1u) << told(of, config, found);
    for (const Entry* entry : found) {
      if (by_limit || by_claim) {
        ASSERT_EQ(entry->mode, config.mode_for(of.workload->kind)) << told(of, config, found);
      }
      if (!by_claim) continue;
      ASSERT_TRUE(entry->claims) << told(of, config, found);
      if ((of.asks & gpus) != 0) {
        ASSERT_EQ(entry->mode, Mode::shadow) << told(of, config, found);
      }
    }
    const bool waits = by_limit || (by_claim && (of.asks & gpus) == 0);
    const bool handled = config.workloads.has(of.workload->kind);
    if (waits || !handled) {
      ASSERT_EQ(found.size(), handled ? 1u : 0u) << told(of, config, found);
    }
  });
}

// An API server puts the Pod to one entry after the other, as the one before has left it, with our
// annotations; and once more when a webhook after us has changed it, where of the entries that
// match it calls only those that it has called before.
TEST_F(Partition, labels_that_another_webhook_adds_bring_no_pod_to_a_second_entry) {
  const auto same_with_annotation = [&](std::size_t index) {
    for (std::size_t i = 0; i < classes_.size(); ++i)
      if (classes_[i].workload == classes_[index].workload &&
          classes_[i].keys == classes_[index].keys && classes_[i].asks == (tpu | annotated))
        return i;
    return index;
  };
  std::vector<std::size_t> first, then;
  for (std::size_t i = 0; i < classes_.size(); ++i)
    if (classes_[i].asks == tpu) first.push_back(i);
  for (const std::size_t i : first) then.push_back(same_with_annotation(i));
  for (const Config& config : all_modes()) {
    const auto all = entries(config);
    const Reached reached(classes_, *known_, all);
    std::vector<std::vector<const Entry*>> as_made, as_left;
    for (const std::size_t i : first) as_made.push_back(reached.of(i));
    for (const std::size_t i : then) as_left.push_back(reached.of(i));
    for (std::size_t i = 0; i < first.size(); ++i) {
      std::set<const Entry*> once;
      for (const Entry& entry : all) {
        const auto& now = once.empty() ? as_made[i] : as_left[i];
        if (std::ranges::find(now, &entry) != now.end()) once.insert(&entry);
      }
      const bool handled = config.workloads.has(classes_[first[i]].workload->kind);
      ASSERT_EQ(once.size(), handled ? 1u : 0u) << told(classes_[first[i]], config, as_made[i]);
      for (std::size_t after = 0; after < first.size(); ++after) {
        const unsigned keys = classes_[first[i]].keys;
        if ((classes_[first[after]].keys & keys) != keys) continue;
        std::set<const Entry*> again;
        for (const Entry* entry : as_left[after])
          if (once.contains(entry)) again.insert(entry);
        ASSERT_LE(again.size(), once.size());
      }
    }
  }
}

}  // namespace
}  // namespace tpuwh::server::rules
