// Sets of variables: completed together or left alone together, in every state that their
// variables can have (docs/contract.md#sets-of-variables).
#include "webhook/env/sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/admitted.hpp"
#include "tests/unit/webhook/env/env_pods.hpp"
#include "topology/catalog.hpp"

namespace tpuwh::webhook::env {
namespace {

using namespace test;
using namespace env_test;

// ---- every state

// A state that the user gives a variable.
enum class Given { absent, agrees, contradicts, platform_default, empty, elsewhere, count_ };
constexpr std::size_t given_count = static_cast<std::size_t>(Given::count_);
constexpr std::string_view given_names[] = {"absent",           "agrees", "contradicts",
                                            "platform default", "empty",  "elsewhere"};

constexpr std::size_t index_of(Set set) {
  return static_cast<std::size_t>(set);
}

std::vector<std::string> members_of(Set set) {
  std::vector<std::string> out;
  for (std::size_t v = 0; v < read::variable_count; ++v)
    if (set_members[v].set == set) out.emplace_back(read::variable_names[v]);
  return out;
}

// A Pod without any variable, and what it gets.
struct Base {
  std::string name;
  json pod;
  config::Config config;
  std::size_t containers = 1;
  bool multi_host = false;
  bool asked = false;                             // by MEGASCALE_NUM_SLICES
  std::vector<std::map<std::string, json>> ours;  // for each container, the entries
};

const std::string slices = "MEGASCALE_NUM_SLICES";

Base base_of(std::string name, const PodBuilder& pod, bool multi_host) {
  Base base;
  base.name = std::move(name);
  base.pod = pod.pod();
  base.config.torch_tpu = true;
  base.multi_host = multi_host;
  base.asked = base.name.starts_with("ray asked");
  base.containers = base.pod["spec"]["containers"].size();
  json asking = base.pod;
  if (base.asked)
    for (json& container : asking["spec"]["containers"])
      container["env"] = json::array({literal(slices.c_str(), "2")});
  const Admitted answer = admit_pod(asking, {.config = base.config});
  EXPECT_TRUE(answer.allowed) << base.name << answer.message;
  for (const json& container : answer.object["spec"]["containers"]) {
    auto& entries = base.ours.emplace_back();
    for (const json& entry : container.value("env", json::array()))
      entries[entry["name"].get<std::string>()] = entry;
  }
  return base;
}

// Every workload API on every generation: a host of several, a host by itself, and where hosts are
// shared both with two containers.
std::vector<Base> bases() {
  std::vector<Base> out;
  struct Api {
    std::string_view name;
    std::function<void(PodBuilder&, bool)> make;  // of several hosts
  };
  const Api apis[] = {
      {"job", [](PodBuilder& pod, bool) { pod.job("t", 1); }},
      {"jobset", [](PodBuilder& pod, bool) { pod.jobset("s", "r", 2, 1, 1); }},
      {"statefulset", [](PodBuilder& pod, bool) { pod.statefulset("s", 1); }},
      {"lws",
       [](PodBuilder& pod, bool several) { pod.lws("l", 0, several ? 1 : 0, several ? 2 : 1); }},
      {"ray", [](PodBuilder& pod, bool several) { pod.ray("c", "g", 1, several ? 1 : 0); }},
      {"ray asked", [](PodBuilder& pod, bool several) { pod.ray("c", "g", 1, several ? 1 : 0); }},
      {"pod", [](PodBuilder&, bool) {}},
  };
  for (const topology::Generation& generation : topology::generations())
    for (const Api& api : apis)
      for (const bool several : {true, false})
        for (const bool shared : {false, true}) {
          if (shared && !generation.traits.shares_host()) continue;
          if (several && api.name == "pod") continue;
          const bool flat = generation.rank == 2;
          PodBuilder pod;
          pod.accelerator(generation.label);
          pod.topology(several ? (flat ? "2x4" : "2x2x2") : (flat ? "2x2" : "2x2x1"));
          api.make(pod, several);
          pod.tpu(shared ? 2 : 4);
          if (shared) pod.container("b", 2);
          out.push_back(base_of(std::string(api.name) + " " + std::string(generation.label) +
                                    (several ? " several" : " one") + (shared ? " shared" : ""),
                                pod, several));
        }
  return out;
}

// The entry that gives variable `name` of a container that state; null for none.
json entry_of(const Base& base, std::size_t container, const std::string& name, Given given) {
  const auto& ours = base.ours[container];
  const auto found = ours.find(name);
  const std::uint32_t processes =
      static_cast<std::uint32_t>(base.containers) * (base.multi_host ? 2 : 1);
  switch (given) {
    case Given::absent:
    case Given::count_:
      return nullptr;
    case Given::empty:
      return literal(name.c_str(), "");
    case Given::elsewhere:
      return from(name.c_str(), "metadata.labels['x']");
    case Given::platform_default:
      if (!base.multi_host) return nullptr;
      if (name == id) return literal(id, "0");
      if (name == names) return literal(names, "localhost");
      return nullptr;
    case Given::contradicts:
      if (name == "MEGASCALE_PORT" || name == "TPU_PROCESS_PORT") return literal(name.c_str(), "x");
      return literal(name.c_str(), "9,9,9");
    case Given::agrees:
      break;
  }
  if (found != ours.end()) return found->second;
  if (name == slices) return literal(name.c_str(), "2");
  if (name == "TPU_HOST_BOUNDS" || name == "TPU_PROCESS_BOUNDS")
    return literal(name.c_str(), ("1,1," + std::to_string(processes)).c_str());
  if (name.starts_with("TPU_CHIPS_PER"))
    return literal(name.c_str(), base.containers == 2 ? "1,2,1" : "2,2,1");
  return nullptr;
}

// Whether a value of the state "contradicts" does so in this set: it may be that nothing reads it.
bool is_contradiction(const Base& base, std::size_t container, const std::string& name) {
  const auto& ours = base.ours[container];
  if (name == "TPU_PROCESS_ADDRESSES_PATH" || name.starts_with("TPU_DEVICE_PLUGIN")) return false;
  if (name == "TPU_NAME") return !base.name.starts_with("lws");
  if (name == "TPU_PROCESS_PORT") return ours.contains(name);
  if (name == "TPU_PROCESS_ADDRESSES") return ours.contains(names);
  if (name == names) return ours.contains(name);
  const bool alone = !base.multi_host && base.containers == 1;
  if (name.starts_with("TPU_CHIPS_PER")) return !alone;
  return true;
}

// A value that only the kubelet knows leaves these alone.
bool is_unknown(const Base& base, const std::string& name, std::size_t container) {
  if (name == id) return base.containers > 1;
  return name == "TPU_PROCESS_PORT" && base.ours[container].contains(name);
}

bool wants(const Base& base, const std::vector<std::string>& variables) {
  return std::ranges::any_of(variables,
                             [&](const std::string& name) { return base.ours[0].contains(name); });
}

// A Ray worker of whose MEGASCALE_NUM_SLICES nothing is left asks for nothing.
std::size_t opted_out_of(const std::string& name) {
  return name == slices ? static_cast<std::size_t>(Given::empty) : given_count;
}

using Whole = std::map<std::string, Given>;  // of each variable that is not absent

std::string text_of(const Base& base, const Whole& whole) {
  std::string out = base.name;
  for (const auto& [name, given] : whole)
    out += ", " + name + " " + std::string(given_names[static_cast<std::size_t>(given)]);
  return out;
}

enum class Outcome { completed, opted_out, contradicted };

// What the law says of a set, found without the code that decides it.
Outcome law(const Base& base, Set set, const Whole& whole) {
  bool contradicts = false, filled = false, empty = false, missing = false, switched = false;
  for (std::size_t c = 0; c < base.containers; ++c)
    for (const std::string& name : members_of(set)) {
      const auto found = whole.find(name);
      const Given given = found == whole.end() ? Given::absent : found->second;
      const bool wanted = base.ours[c].contains(name);
      if (given == Given::absent || entry_of(base, c, name, given).is_null()) {
        filled = filled || (base.asked && name == slices);
        missing = missing || wanted;
      } else if (given == Given::empty) {
        if (name == "TPU_PROCESS_ADDRESSES_PATH") {
          filled = true;
          continue;
        }
        empty = true;
        switched =
            switched || set_members[static_cast<std::size_t>(*read::find_variable(name))].switches;
      } else {
        filled = true;
        contradicts = contradicts ||
                      (given == Given::contradicts && is_contradiction(base, c, name)) ||
                      (given == Given::elsewhere && is_unknown(base, name, c));
      }
    }
  if (contradicts) return Outcome::contradicted;
  if (!empty) return Outcome::completed;
  return !filled && (!missing || switched) ? Outcome::opted_out : Outcome::contradicted;
}

struct Walked {
  std::size_t pods = 0, completed = 0, opted_out = 0, contradicted = 0;
};

// One Pod: what the law says holds, for each set.
void hold(const Base& base, const Whole& whole, Walked& walked) {
  json pod = base.pod;
  for (std::size_t c = 0; c < base.containers; ++c) {
    json env = json::array();
    bool asks = !base.asked;
    for (const auto& [name, given] : whole)
      if (json entry = entry_of(base, c, name, given); !entry.is_null()) {
        env.push_back(entry);
        asks = asks || name == slices;
      }
    if (!asks) env.push_back(literal(slices.c_str(), "2"));
    pod["spec"]["containers"][c]["env"] = env;
  }
  const Admitted answer = admit_pod(pod, {.config = base.config});
  const auto said = [&] { return text_of(base, whole) + "\n" + json(answer.warnings).dump(1); };
  ASSERT_TRUE(answer.allowed) << said() << answer.message;
  ++walked.pods;
  std::size_t warnings = 0;
  bool process_left = false;
  for (std::size_t s = 0; s < set_count; ++s) {
    const auto set = static_cast<Set>(s);
    const auto variables = members_of(set);
    if (!wants(base, variables)) continue;
    const Outcome outcome = law(base, set, whole);
    warnings += outcome == Outcome::contradicted ? 1 : 0;
    bool left = outcome != Outcome::completed;
    if (set == Set::process) process_left = left;
    left = left || (set_rows[s].needs_process && process_left);
    ++(outcome == Outcome::completed   ? walked.completed
       : outcome == Outcome::opted_out ? walked.opted_out
                                       : walked.contradicted);
    for (std::size_t c = 0; c < base.containers; ++c)
      for (const std::string& name : variables) {
        const std::string was = effective(pod["spec"]["containers"][c], name);
        const std::string is = effective(answer, name, c);
        const auto found = whole.find(name);
        const Given given = found == whole.end() ? Given::absent : found->second;
        const bool replaced = !left && given == Given::platform_default;
        // What goes with a coordinator or an address of the user's own is not written.
        const bool depends = name == "MEGASCALE_PORT" || name == "TPU_DEVICE_PLUGIN_HOST_IP";
        if (left || (was != "(absent)" && !replaced)) {
          EXPECT_EQ(is, was) << name << c << " of " << said();
        } else if (base.ours[c].contains(name) && !depends) {
          EXPECT_NE(is, "(absent)") << name << c << " of " << said();
        }
      }
  }
  std::size_t said_of_sets = 0;
  for (const std::string& warning : answer.warnings)
    said_of_sets += warning.find("set annotation inject: \"false\"") != std::string::npos ? 1 : 0;
  EXPECT_EQ(said_of_sets, warnings) << said();
  const Admitted again = admit_pod(answer.object, {.config = base.config});
  EXPECT_EQ(again.patch, json::array()) << said();
}

// Of so many cases each Pod has one, and the next Pod another: each is held on Pods of every
// workload API and of every generation. TPUWH_LONG holds each on all of them.
class Turn {
 public:
  explicit Turn(std::size_t of) : of_(std::getenv("TPUWH_LONG") != nullptr ? 1 : of) {}
  void begin_base() { at_ = bases_++; }
  bool is_ours() { return at_++ % of_ == 0; }

 private:
  std::size_t of_, bases_ = 0, at_ = 0;
};

TEST(EverySet, holds_in_each_pair_of_states_of_two_of_its_variables) {
  Walked walked;
  Turn turn(23);
  for (const Base& base : bases()) {
    turn.begin_base();
    for (std::size_t s = 0; s < set_count; ++s) {
      const auto variables = members_of(static_cast<Set>(s));
      if (!wants(base, variables)) continue;
      for (std::size_t a = 0; a < variables.size(); ++a)
        for (std::size_t b = a + 1; b < variables.size(); ++b)
          for (std::size_t x = 0; x < given_count; ++x)
            for (std::size_t y = 0; y < given_count; ++y) {
              if (!turn.is_ours()) continue;
              if (base.asked &&
                  (x == opted_out_of(variables[a]) || y == opted_out_of(variables[b])))
                continue;
              hold(base,
                   {{variables[a], static_cast<Given>(x)}, {variables[b], static_cast<Given>(y)}},
                   walked);
              if (testing::Test::HasFailure()) return;
            }
    }
  }
  std::printf("%zu Pods: %zu sets completed, %zu opted out, %zu contradicted\n", walked.pods,
              walked.completed, walked.opted_out, walked.contradicted);
}

TEST(EverySet, holds_in_each_state_of_all_its_variables_beside_each_of_the_others) {
  Walked walked;
  Turn turn(13);
  for (const Base& base : bases()) {
    turn.begin_base();
    std::vector<Set> sets;  // of which the Pod gets something
    for (std::size_t s = 0; s < set_count; ++s)
      for (const std::string& name : members_of(static_cast<Set>(s)))
        if (base.ours[0].contains(name) && (sets.empty() || sets.back() != static_cast<Set>(s)))
          sets.push_back(static_cast<Set>(s));
    std::size_t states = 1;
    for (std::size_t s = 0; s < sets.size(); ++s) states *= given_count;
    for (std::size_t state = 0; state < states; ++state) {
      if (!turn.is_ours()) continue;
      Whole whole;
      std::size_t rest = state;
      for (const Set set : sets) {
        for (const std::string& name : members_of(set))
          if (base.ours[0].contains(name)) whole[name] = static_cast<Given>(rest % given_count);
        rest /= given_count;
      }
      if (base.asked && whole.contains(slices) && whole[slices] == Given::empty) continue;
      hold(base, whole, walked);
      if (testing::Test::HasFailure()) return;
    }
  }
  std::printf("%zu Pods: %zu sets completed, %zu opted out, %zu contradicted\n", walked.pods,
              walked.completed, walked.opted_out, walked.contradicted);
}

// ---- what was reported (reports4, A)

// The values of all TPU containers, as "NAME=VALUE NAME=VALUE | …" in their order.
std::string env_text(const json& object) {
  std::string out;
  for (const json& container : object["spec"]["containers"]) {
    if (!out.empty()) out += "| ";
    for (const std::string& name : env_names(container))
      out += name + "=" + effective(container, name) + " ";
  }
  return out;
}

void expect_reported(const PodBuilder& pod, std::string_view warning = "", bool completed = false) {
  SCOPED_TRACE(pod.pod().dump());
  const Admitted answer = admit(pod);
  ASSERT_TRUE(answer.allowed) << answer.message;
  const bool same = env_text(answer.object) == env_text(pod.pod());
  EXPECT_EQ(same, !completed) << env_text(answer.object);
  EXPECT_EQ(answer.warnings.size(), warning.empty() ? 0u : 1u) << json(answer.warnings).dump(1);
  EXPECT_NE(warning.empty() ? "" : answer.warning(warning), warning.empty() ? "x" : "");
  EXPECT_EQ(admit_pod(answer.object).patch, json::array());
}

PodBuilder two_servers() {
  return ironwood()
      .on("2x2x1", 2)
      .env(id, "0")
      .env(names, "localhost")
      .container("b", 2)
      .env(id, "0")
      .env(names, "localhost");
}
PodBuilder host_1() {
  return a_pod().job("t", 1).on("4x4", 4);
}

TEST(ReportedSet, is_completed_or_left_alone) {
  expect_reported(two_servers(), "TPU_WORKER_HOSTNAMES of container");
  expect_reported(ironwood().on("2x2x1", 2).env(id, "0").container("b", 2).env(id, "0"),
                  "TPU_WORKER_ID of container b is 0");
  expect_reported(ironwood().on("2x2x1", 2).env_from(id, "f").container("b", 2).env_from(id, "f"),
                  "TPU_WORKER_ID of container main is from elsewhere and was kept");
  expect_reported(ironwood()
                      .on("2x2x1", 2)
                      .env("TPU_PROCESS_PORT", "1")
                      .container("b", 2)
                      .env("TPU_PROCESS_PORT", "1"),
                  "TPU-504: TPU_PROCESS_PORT of container main is 1");
  expect_reported(
      host_1().env("TPU_HOST_BOUNDS", "1,1,1").env(id, "0").env(names, "localhost"),
      "TPU_HOST_BOUNDS of container main is 1,1,1 and was kept; this Pod's place in the "
      "slice gives 4 processes");
  expect_reported(host_1().env("TPU_PROCESS_BOUNDS", "1,1,1"), "TPU_PROCESS_BOUNDS");
  expect_reported(host_1().env("TPU_CHIPS_PER_PROCESS_BOUNDS", "1,1,1"), "gives 4 chips");
  expect_reported(host_1().env("TPU_HOST_BOUNDS", "2,2,1"), "", true);
  expect_reported(host_1().env(id, "0").env(names, "localhost"), "", true);
  expect_reported(
      two_slices().env("MEGASCALE_SLICE_ID", "").env(id, "0").env(names, "s-r-1-0.s,s-r-1-1.s"),
      "MEGASCALE_SLICE_ID of container main is empty");
  expect_reported(host_1().env(id, "").env(names, ""));
  expect_reported(host_1().env(names, ""), "TPU_WORKER_HOSTNAMES of container");
  expect_reported(host_1().env_from(id, "metadata.labels['x']"), "", true);
  expect_reported(
      two_slices().env("MEGASCALE_NUM_SLICES", "1").env(id, "0").env(names, "s-r-1-0.s,s-r-1-1.s"),
      "MEGASCALE_NUM_SLICES");
}

// A check that runs in an init container may be of one host: it is another process group.
TEST(InitContainersSet, is_its_own) {
  const Admitted answer =
      admit(host_1().init_container("check", 4).env(id, "0").env("TPU_HOST_BOUNDS", "1,1,1"));
  EXPECT_EQ(effective(answer, id), "1");
  EXPECT_EQ(effective(answer.object["spec"]["initContainers"][0], id), "0");
  ASSERT_EQ(answer.warnings.size(), 1u);
  EXPECT_TRUE(has(answer.warnings, "TPU_HOST_BOUNDS of container check is 1,1,1"));
}

// ---- the page

std::string agrees_in_words(Agrees agrees) {
  switch (agrees) {
    case Agrees::if_equal:
      return "equal";
    case Agrees::if_equal_or_lws:
      return "equal, or written by LeaderWorkerSet";
    case Agrees::if_same_hosts:
      return "the same hosts in the same order, also by longer names and with other ports";
    case Agrees::if_coordinator:
      return "the same host, also by a longer name or with another port, or a host of another "
             "replicated job; on TPU7x equal";
    case Agrees::if_all_processes:
      return "their product is the number of processes of the slice";
    case Agrees::if_all_chips:
      return "their product is the number of chips of the container, or the slice has one process";
    case Agrees::if_port:
      return "equal, or any port if the Pod has one process";
    case Agrees::if_ports_differ:
      return "any port, which the lists then have; of several processes of a Pod different ports";
    case Agrees::always:
      return "any value";
  }
  return "";
}

// What becomes of the set of a Pod that has these variables, by the answer itself.
std::string outcome_of(const PodBuilder& pod) {
  const Admitted answer = admit(pod);
  const json &was = pod.pod()["spec"]["containers"][0],
             &is = answer.object["spec"]["containers"][0];
  bool replaced = false;
  for (const std::string& name : env_names(was))
    replaced = replaced || effective(was, name) != effective(is, name);
  std::string out = replaced ? "its value is replaced, and the set is completed"
                    : is.value("env", json()).size() > was.value("env", json()).size()
                        ? "the set is completed"
                        : "the set is left alone";
  if (!answer.warnings.empty()) out += ", with one warning that names both ways out";
  return out;
}

std::string contract() {
  const auto pod = [] { return a_pod().job("t", 1).on("4x4", 4); };
  std::string out =
      "What one consumer reads together is completed together or left alone together: in all "
      "processes of a Pod, and\nin each init container by itself. A warning names the first "
      "variable that contradicts, and the two ways out:\nremove the variable, or set annotation "
      "`inject: \"false\"`. This section is generated from `webhook/env/sets.hpp`\nand from "
      "answers (`tests/unit/webhook/env/sets_test.cpp`).\n\n"
      "| A variable of a set is | What follows |\n|---|---|\n";
  const std::pair<std::string, PodBuilder> states[] = {
      {"absent", pod()},
      {"the user's, and agrees", pod().env(id, "1")},
      {"the platform's default (`0`, `localhost`) on a Pod of several hosts",
       pod().env(id, "0").env(names, "localhost")},
      {"from elsewhere: `valueFrom`, `$(NAME)`", pod().env_from(id, "metadata.labels['x']")},
      {"the user's, and contradicts", pod().env(id, "7")},
      {"empty, and not all of the set are", pod().env(id, "")},
      {"empty, like all others of the set", pod().env(id, "").env(names, "")},
  };
  for (const auto& [state, with] : states) out += "| " + state + " | " + outcome_of(with) + " |\n";
  out +=
      "| ours, from an earlier call | it is computed again; it goes if the set is left alone |\n"
      "\nAn empty `MEGASCALE_NUM_SLICES`, `TORCH_TPU_TOPOLOGY` or `TPU_DEVICE_PLUGIN_ADDR` alone "
      "is an "
      "opt-out of its whole\nset. An id from elsewhere contradicts if a host has several "
      "processes, which would all have it.\n\n"
      "| Set, by its readers | Variable | A user's value agrees if it is |\n|---|---|---|\n";
  for (std::size_t s = 0; s < set_count; ++s) {
    std::string first(set_rows[s].readers);
    if (set_rows[s].needs_process) first += "; left alone also where that of JAX and libtpu is";
    for (std::size_t v = 0; v < read::variable_count; ++v) {
      if (set_members[v].set != static_cast<Set>(s)) continue;
      out += "| " + first + " | `" + std::string(read::variable_names[v]) + "` | " +
             agrees_in_words(set_members[v].agrees) + " |\n";
      first.clear();
    }
  }
  return out;
}

// With TPUWH_UPDATE=1 it writes the section.
TEST(SetsOfVariables, are_described_in_the_contract) {
  const std::string begin = "## Sets of variables\n\n", end = "\n## ";
  std::ifstream in(TPUWH_CONTRACT);
  const std::string page(std::istreambuf_iterator<char>(in), {});
  const std::size_t from_here = page.find(begin), to = page.find(end, from_here + 1);
  ASSERT_NE(from_here, std::string::npos);
  const std::size_t at = from_here + begin.size();
  if (std::getenv("TPUWH_UPDATE") != nullptr)
    std::ofstream(TPUWH_CONTRACT) << page.substr(0, at) << contract() << page.substr(to);
  else
    EXPECT_EQ(page.substr(at, to - at), contract());
}

}  // namespace
}  // namespace tpuwh::webhook::env
