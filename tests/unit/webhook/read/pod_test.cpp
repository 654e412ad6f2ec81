#include "webhook/read/pod.hpp"
#include "base/result.hpp"
#include "webhook/findings/errc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/admitted.hpp"
#include "tests/support/full_pod.hpp"
#include "tests/support/json_text.hpp"
#include "tests/support/read_pod.hpp"

namespace tpuwh::webhook::read {
namespace {

using namespace std::string_literals;
using namespace test;
using Read = ReadPod;

// --- Every field that is read ----------------------------------------------------------

// Values at and below these are passed over; how they look is the API server's business.
bool is_read(const std::string& pointer) {
  for (const std::string skipped :
       {"/request/resource", "/request/requestKind", "/request/requestResource",
        "/request/userInfo", "/request/options", "/request/oldObject", "/request/object/kind",
        "/request/object/apiVersion"})
    if (pointer == skipped || pointer.starts_with(skipped + "/")) return false;
  if (pointer.find("/ownerReferences/") != std::string::npos && pointer.ends_with("/apiVersion"))
    return false;
  return !pointer.ends_with("/image") && pointer.find("/valueFrom/") == std::string::npos &&
         pointer.find("/matchFields/") == std::string::npos &&
         pointer.find("/schedulingGroup") == std::string::npos &&
         pointer.find("/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution/") ==
             std::string::npos;
}

std::string kind_of(const json& value) {
  return value.is_number() ? "number" : value.type_name();
}

TEST(PodFields, a_wrong_type_anywhere_is_named_with_its_path) {
  const json review = review_of(full_pod());
  const json wrong[] = {5, "text", json::array(), json::object(), true};
  std::size_t refused = 0;
  for (const std::string& pointer : pointers_of(review)) {
    const json before = review[json::json_pointer(pointer)];
    for (const json& value : wrong) {
      json changed = review;
      changed[json::json_pointer(pointer)] = value;
      const auto answer = admit(changed.dump());
      ASSERT_TRUE(answer.status == 200 || answer.status == 400) << pointer << ' ' << value;
      if (!is_read(pointer) || kind_of(value) == kind_of(before)) continue;
      const bool any_type = pointer.ends_with("/valueFrom");
      const bool quantity = pointer.ends_with("~1tpu") && value.is_number();
      if (any_type || quantity) continue;
      // A quantity that is none is a denial: what the Pod asks for, not how it is written.
      const bool wrong_quantity = pointer.ends_with("~1tpu") && value.is_string();
      EXPECT_EQ(answer.status, wrong_quantity ? 200u : 400u) << pointer << ' ' << value;
      EXPECT_FALSE(answer.allowed);
      EXPECT_TRUE(
          answer.message.starts_with((wrong_quantity ? "TPU-104: " : "") + path_of(pointer) + ": "))
          << answer.message;
      ++refused;
    }
  }
  EXPECT_GT(refused, 700u);
}

TEST(PodFields, null_anywhere_is_answered_and_mostly_absence) {
  const json review = review_of(full_pod());
  for (const std::string& pointer : pointers_of(review)) {
    json changed = review;
    changed[json::json_pointer(pointer)] = nullptr;
    const auto answer = admit(changed.dump());  // patches are applied there
    if (answer.status == 200) continue;
    EXPECT_EQ(answer.status, 400u) << pointer;
    EXPECT_TRUE(has(answer.message, path_of(pointer)));
  }
}

TEST(PodFields, a_key_that_stands_twice_is_named) {
  const json review = review_of(full_pod());
  std::size_t refused = 0;
  for (const std::string& pointer : pointers_of(review)) {
    const json::json_pointer at(pointer);
    if (!review[at.parent_pointer()].is_object() || !is_read(pointer)) continue;
    for (const bool escaped : {false, true}) {
      const auto answer = admit(with_twice(review, pointer, escaped));
      EXPECT_EQ(answer.status, 400u) << pointer;
      EXPECT_TRUE(has(answer.message, "duplicate key")) << pointer << ": " << answer.message;
      EXPECT_TRUE(answer.message.starts_with(path_of(pointer))) << answer.message;
      ++refused;
    }
  }
  EXPECT_GT(refused, 200u);
}

// Whatever room the Pod before has left.
TEST(ALongList, of_a_pod_ends_where_it_may) {
  base::json::Reader in;
  Pod pod;
  const auto read = [&](std::size_t selectors) {
    std::string text = R"({"metadata":{},"spec":{"nodeSelector":{)";
    for (std::size_t i = 0; i < selectors; ++i)  // the last key first, so that they are sorted
      text += (i > 0 ? ",\"k" : "\"k") + std::to_string(2 * max_elements - i) + R"(":"")";
    text += "}}}";
    const Body body(text);
    return in.start(body.bytes()) && read_pod(in, "tpu-webhook.dev/", pod) && in.finish();
  };
  EXPECT_TRUE(read(40'000));
  EXPECT_FALSE(read(max_elements + 1));
  EXPECT_TRUE(has(in.error().text(), "more than 65536 elements"));
  EXPECT_TRUE(read(max_elements));
  const auto containers = [](std::size_t count) {
    std::string text = R"({"metadata":{},"spec":{"containers":[{})";
    for (std::size_t i = 1; i < count; ++i) text += ",{}";
    return Read(text + "]}}").good;
  };
  EXPECT_TRUE(containers(max_elements));
  EXPECT_FALSE(containers(max_elements + 1));
}

// The next Pod is read into what the last one left.
TEST(PodFields, nothing_is_left_of_what_was_cleared) {
  Read full(full_pod().dump());
  ASSERT_TRUE(full.good);
  Pod& pod = full.pod;
  const auto sizes = [&] {
    return std::vector<std::size_t>{pod.node_selector.size(), pod.containers.size(),
                                    pod.entries.size(),       pod.tolerations.size(),
                                    pod.node_terms.size(),    pod.pod_terms.size(),
                                    pod.requirements.size(),  pod.values.size()};
  };
  for (const std::size_t size : sizes()) EXPECT_GT(size, 0u);
  pod.clear();
  EXPECT_EQ(sizes(), std::vector<std::size_t>(8, 0));
  EXPECT_TRUE(pod.claims.empty() && pod.claim_uses.empty() && !pod.bad_chips);
  EXPECT_EQ(pod.label(Label::job_completion_index), "");
  EXPECT_EQ(pod.name, "");
  EXPECT_EQ(pod.hostname, "");
}

// A Pod is read a second time where it could not be read in passing: what is found is the same.
TEST(PodFields, a_null_in_front_of_a_fault_hides_nothing) {
  const auto pod = a_pod().job("t", 1).on("2x4", "1500m");
  auto other = pod;
  for (const char* kind : {"nodeAffinity", "podAffinity", "podAntiAffinity"})
    for (const char* when : {"required", "preferred"})
      other.set(std::string("/spec/affinity/") + kind + "/" + when +
                    "DuringSchedulingIgnoredDuringExecution",
                nullptr);
  EXPECT_EQ(admit(other).message, admit(pod).message);
  EXPECT_EQ(admit(other).reason, Reason::bad_quantity);
}

TEST(PodFields, each_value_gone_is_answered) {
  const json review = review_of(full_pod());
  for (const std::string& pointer : pointers_of(review)) {
    json changed = review;
    const json::json_pointer at(pointer);
    json& parent = changed[at.parent_pointer()];
    if (parent.is_object())
      parent.erase(at.back());
    else
      parent.erase(static_cast<std::size_t>(std::stoul(at.back())));
    const auto answer = admit(changed.dump());
    EXPECT_TRUE(answer.status == 200 || answer.status == 400) << pointer;
  }
}

TEST(PodFields, hostile_text_anywhere_is_answered) {
  const json review = review_of(full_pod());
  const std::string texts[] = {
      "",      "\0"s, "a\0b"s, "\"\\\n\x01",     "\xf0\x9f\x98\x80", std::string(70'000, 'x'),
      "~1/~0", "-1",  "$(X)",  "kueue.x-k8s.io/"};
  for (const std::string& pointer : pointers_of(review)) {
    if (!review[json::json_pointer(pointer)].is_string()) continue;
    for (const std::string& text : texts) {
      json changed = review;
      changed[json::json_pointer(pointer)] = text;
      const auto answer = admit(changed.dump());  // what must hold of any answer is checked there
      EXPECT_TRUE(answer.status == 200 || answer.status == 400) << pointer;
    }
  }
}

TEST(PodFields, hostile_keys_are_answered) {
  for (const std::string& key : {"\0"s, "a\"b"s, "~/"s, std::string(100'000, 'k'), ""s}) {
    auto pod = a_pod().job("train", 1).on("2x4", 4);
    pod.label(key, "v").annotation(key, "v").selector(key, "v");
    EXPECT_EQ(admit(pod).outcome, Outcome::patched);
  }
}

// --- What is made of them --------------------------------------------------------------

TEST(PodReading, the_controller_is_the_owner) {
  const auto owner = [](const char* kind, const json& controller) -> json {
    json reference = {{"kind", kind}, {"name", "n"}, {"uid", "u"}};
    if (!controller.is_discarded()) reference["controller"] = controller;
    return reference;
  };
  struct Case {
    json owners;
    std::string want;
  };
  const json none(json::value_t::discarded);
  for (const auto& [owners, want] :
       {Case{json::array(), ""}, Case{nullptr, ""},
        Case{json::array({owner("A", none), owner("B", none)}), "A"},
        Case{json::array({owner("A", none), owner("B", true)}), "B"},
        Case{json::array({owner("A", true), owner("B", true)}), "A"},
        Case{json::array({owner("A", false), owner("B", nullptr)}), "A"}}) {
    const Read read(a_pod().set("/metadata/ownerReferences", owners));
    ASSERT_TRUE(read.good) << read.in.error().text();
    EXPECT_EQ(read.pod.owner.kind, want) << owners;
  }
}

TEST(PodReading, containers_come_before_init_containers_whatever_the_order) {
  // Go writes initContainers first.
  for (
      const char* text :
      {R"({"metadata":{},"spec":{"initContainers":[{"name":"i"},{"name":"j"}],"containers":[{"name":"a"},{"name":"b"}]}})",
       R"({"metadata":{},"spec":{"containers":[{"name":"a"},{"name":"b"}],"initContainers":[{"name":"i"},{"name":"j"}]}})"}) {
    const Read read{std::string(text)};
    ASSERT_TRUE(read.good) << read.in.error().text();
    std::string names;
    for (const Container& container : read.pod.containers) names += container.name;
    EXPECT_EQ(names, "abij");
    EXPECT_EQ(read.pod.containers[1].index, 1u);
    EXPECT_EQ(read.pod.containers[3].index, 1u);
    EXPECT_TRUE(read.pod.containers[2].init);
  }
}

TEST(PodReading, only_an_init_container_is_a_sidecar) {
  const Read read(
      a_pod().set("/spec/containers/0/restartPolicy", "Always").sidecar("s").init_container("i"));
  ASSERT_TRUE(read.good);
  EXPECT_FALSE(read.pod.containers[0].sidecar);
  EXPECT_TRUE(read.pod.containers[1].sidecar);
  EXPECT_FALSE(read.pod.containers[2].sidecar);
}

void expect_chips(const std::string& resources, std::uint64_t want = 0, bool differ = false) {
  const Read read(R"({"metadata":{},"spec":{"containers":[{"name":"a","resources":)" + resources +
                  "}]}}");
  ASSERT_TRUE(read.good) << read.in.error().text();
  EXPECT_EQ(read.pod.containers[0].chips(), want);
  EXPECT_EQ(read.pod.containers[0].request_and_limit_differ(), differ);
}

TEST(ContainerChips, are_the_request_else_the_limit) {
  expect_chips("{}");
  expect_chips("null");
  expect_chips(R"({"limits":null,"requests":{"google.com/tpu":4}})", 4);
  expect_chips(R"({"limits":{"google.com/tpu":"4"}})", 4);
  expect_chips(R"({"requests":{"google.com/tpu":"4"}})", 4);
  expect_chips(R"({"limits":{"google.com/tpu":"4"},"requests":{"google.com/tpu":4}})", 4);
  expect_chips(R"({"limits":{"google.com/tpu":"4000m"},"requests":{"google.com/tpu":4e0}})", 4);
  expect_chips(R"({"limits":{"google.com/tpu":"4"},"requests":{"google.com/tpu":1}})", 1, true);
  expect_chips(R"({"limits":{"google.com/tpu":"4"},"requests":{"google.com/tpu":0}})", 4, true);
  expect_chips(R"({"limits":{"google.com/tpu":"0"}})");
  expect_chips(R"({"limits":{"google.com/tpu":null}})");
  expect_chips(R"({"limits":{"cpu":"1","google.com/tpu-slice":"4","nvidia.com/gpu":8}})");
}

// Chips that are no number are what a Pod is denied for; what cannot be read is no decision.
TEST(PodChips, that_are_no_number_are_said_when_all_was_read) {
  const std::string bad = R"({"name":"a","resources":{"limits":{"google.com/tpu":"x"}}})";
  const Read alone(R"({"metadata":{},"spec":{"initContainers":[)" + bad + "]}}");
  EXPECT_EQ(alone.in.error().code(), findings::Errc::not_chips);
  EXPECT_EQ(alone.in.error().path(), "spec.initContainers[0].resources.limits.google.com/tpu");
  for (const std::string& spec : {R"("hostname":5,"containers":[)" + bad + ']',
                                  R"("containers":[)" + bad + R"(],"hostname":5)"}) {
    const Read read(R"({"metadata":{},"spec":{)" + spec + "}}");
    EXPECT_EQ(read.in.error().code(), base::Errc::wrong_type) << spec;
    EXPECT_EQ(read.in.error().path(), "spec.hostname") << spec;
  }
  const Read two(R"({"metadata":{},"spec":{"containers":[{"name":"b"},)" + bad + ',' + bad + "]}}");
  EXPECT_EQ(two.in.error().path(), "spec.containers[1].resources.limits.google.com/tpu");
}

void expect_entry(const std::string& entries, bool present = true, std::string_view value = "",
                  bool from = false, bool has_value = true, std::uint32_t index = 0) {
  SCOPED_TRACE(entries);
  const Read read(R"({"metadata":{},"spec":{"containers":[{"name":"a","env":)" + entries + "}]}}");
  ASSERT_TRUE(read.good) << read.in.error().text();
  const EnvEntry* entry = read.pod.entry(read.pod.containers[0], Variable::tpu_worker_id);
  ASSERT_EQ(entry != nullptr, present);
  if (entry == nullptr) return;
  EXPECT_EQ(entry->value, value);
  EXPECT_EQ(entry->source == EnvSource::value_from, from);
  EXPECT_EQ(entry->has_value, has_value);
  EXPECT_EQ(entry->index, index);
}

TEST(EnvEntries, the_last_of_a_name_counts) {
  expect_entry("[]", false);
  expect_entry("null", false);
  expect_entry(R"([{"name":"A"}])", false);
  expect_entry(R"([{"name":"TPU_WORKER_ID","value":"3"}])", true, "3");
  expect_entry(R"([{"value":"3","name":"TPU_WORKER_ID"}])", true, "3");
  expect_entry(R"([{"value":"\u0033","name":"TPU_WORKER_\u0049D"}])", true, "3");
  expect_entry(R"([{"name":"TPU_WORKER_ID","value":""}])", true, "");
  // Go omits an empty value when it writes JSON.
  expect_entry(R"([{"name":"TPU_WORKER_ID"}])", true, "", false, false);
  expect_entry(R"([{"name":"TPU_WORKER_ID","value":null}])", true, "", false, false);
  expect_entry(R"([{"name":"TPU_WORKER_ID","valueFrom":{}}])", true, "", true, false);
  expect_entry(R"([{"name":"TPU_WORKER_ID","value":"1","valueFrom":null}])", true, "1");
  expect_entry(
      R"([{"name":"TPU_WORKER_ID","value":"1"},{"name":"A"},{"name":"TPU_WORKER_ID","value":"2"}])",
      true, "2", false, true, 2);
  expect_entry(R"([{"name":"TPU_WORKER_ID","value":"1"},{"name":"TPU_WORKER_ID","value":""}])",
               true, "", false, true, 1);
  expect_entry(R"([{"name":"TPU_WORKER_ID","value":"1"},{"name":"TPU_WORKER_ID","valueFrom":{}}])",
               true, "", true, false, 1);
  expect_entry(R"([{"value":"1"}])", false);
  expect_entry(R"([{"name":"TPU_WORKER_ID\u0000"}])", false);
}

TEST(PodPriority, is_a_whole_number) {
  const auto read = [](const std::string& text) {
    return Read(R"({"metadata":{},"spec":{"priority":)" + text + "}}");
  };
  for (const char* number : {"0", "1000", "-10", "-2147483648", "2000001000"})
    EXPECT_EQ(std::to_string(read(number).pod.priority), number);
  EXPECT_EQ(read("null").pod.priority, 0);
  for (const char* none : {"\"5\"", "1.5", "1e3", "2147483648", "99999999999", "-", "true"}) {
    const Read bad = read(none);
    EXPECT_FALSE(bad.good) << none;
    // What is no JSON is told by its byte.
    const bool json_fault = bad.in.error().code() == base::Errc::bad_json;
    EXPECT_EQ(bad.in.error().path(), json_fault ? "" : "spec.priority") << none;
  }
}

TEST(KueueGate, is_known_by_its_prefix) {
  const auto gated = [](const std::string& text) {
    const Read read(R"({"metadata":{},"spec":{"schedulingGates":)" + text + "}}");
    EXPECT_TRUE(read.good) << read.in.error().text();
    return read.pod.kueue_gate;
  };
  for (const char* none :
       {"null", "[]", R"([{"name":"a/b"}])", R"([{"name":"x.kueue.x-k8s.io/admission"}])"})
    EXPECT_FALSE(gated(none)) << none;
  EXPECT_TRUE(gated(R"([{"name":"kueue.x-k8s.io/admission"}])"));
  EXPECT_TRUE(gated(R"([{"name":"a/b"},{"name":"kueue.x-k8s.io/topology"}])"));
}

TEST(PodReading, a_group_of_the_schedulers_is_seen) {
  EXPECT_FALSE(Read(a_pod()).pod.scheduling_group);
  EXPECT_FALSE(Read(a_pod().set("/spec/schedulingGroup", nullptr)).pod.scheduling_group);
  EXPECT_TRUE(Read(a_pod().set("/spec/schedulingGroup", {{"name", "g"}})).pod.scheduling_group);
}

// Whatever they begin with, and however many there are.
TEST(PodReading, a_selector_is_in_the_order_of_its_keys) {
  using namespace std::string_view_literals;
  for (const std::string_view front :
       {""sv, "k"sv, "12345678"sv, "123456781234567"sv,
        "a/very/long/beginning/that/all/of/the/keys/have/in/common/and/that/goes/on/"sv})
    for (const int count : {5, 40, 300}) {
      std::string keys;
      std::vector<std::string> wanted;
      for (int i = 0; i < count; ++i) {
        // 7 and the length of the front share no factor with any count, so that all stand once.
        wanted.push_back(std::string(front) + std::to_string(i * 7 % count) +
                         std::string(static_cast<std::size_t>(i % 3) * 8, 'x'));
        keys += (i == 0 ? "\"" : ",\"") + wanted.back() + "\":\"\"";
      }
      std::ranges::sort(wanted);
      const auto read = [&](const std::string& more) {
        return R"({"metadata":{},"spec":{"nodeSelector":{)" + keys + more + "}}}";
      };
      const Read good(read(""));
      ASSERT_EQ(good.pod.node_selector.size(), wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i)
        EXPECT_EQ(good.pod.node_selector[i].key, wanted[i]);
      for (const std::string& key : {wanted.front(), wanted.back(), wanted[2]}) {
        const Read twice(read(",\"" + key + "\":\"\""));
        EXPECT_FALSE(twice.good) << key;
      }
      EXPECT_TRUE(Read(read(R"(,"\u0000":"","":"","\u0000\u0000":"")")).good);
    }
}

TEST(PodReading, nothing_of_the_pod_before_stays) {
  Pod pod;
  base::json::Reader in;
  std::string full = full_pod().dump(), empty = R"({"metadata":{},"spec":{}})";
  ASSERT_TRUE(in.start(Body(full).bytes()) && read_pod(in, "tpu-webhook.dev/", pod));
  EXPECT_EQ(pod.containers.size(), 4u);
  ASSERT_TRUE(in.start(Body(empty).bytes()) && read_pod(in, "tpu-webhook.dev/", pod));
  EXPECT_TRUE(pod.containers.empty() && pod.entries.empty() && pod.node_terms.empty() &&
              pod.pod_terms.empty() && pod.requirements.empty() && pod.values.empty() &&
              pod.node_selector.empty());
  EXPECT_EQ(pod.labels, Presence::absent);
  EXPECT_EQ(pod.affinity, Presence::absent);
  EXPECT_EQ(pod.node_affinity.end, 0u);
  EXPECT_TRUE(pod.hostname.empty() && pod.owner.kind.empty() && pod.label(Label::job_name).empty());
}

TEST(PodReading, a_pod_without_metadata_cannot_be_patched) {
  // The API server always sends it; a patch below a missing parent does not apply.
  for (const char* metadata : {"", R"("metadata":null,)"}) {
    const Read read("{" + std::string(metadata) + R"("spec":{"containers":[]}})");
    EXPECT_FALSE(read.good);
    EXPECT_EQ(read.in.error().path(), "metadata");
  }
}

TEST(PodEntries, of_one_container_are_no_others) {
  const Read read(a_pod().env("TPU_WORKER_ID", "0").container("b").env("A", "a"));
  ASSERT_TRUE(read.good);
  ASSERT_EQ(read.pod.containers.size(), 2u);
  const Container& second = read.pod.containers[1];
  EXPECT_NE(read.pod.entry(read.pod.containers[0], Variable::tpu_worker_id), nullptr);
  EXPECT_EQ(read.pod.entry(second, Variable::tpu_worker_id), nullptr);
}

}  // namespace
}  // namespace tpuwh::webhook::read
