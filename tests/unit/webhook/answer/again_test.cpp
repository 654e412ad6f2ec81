// A Pod that comes a second time, changed or not in between (docs/decisions/0013).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/admitted.hpp"
#include "tests/support/named_case.hpp"
#include "webhook/read/vocabulary.hpp"

namespace tpuwh::webhook::answer {
namespace {

using namespace test;
using test::admit;
using test::PrintTo;

constexpr const char* injected = "/metadata/annotations/tpu-webhook.dev~1injected";
constexpr const char* slice_note = "/metadata/annotations/tpu-webhook.dev~1slice";
const json none = json::array();

std::set<std::string> paths(const json& patch) {
  std::set<std::string> out;
  for (const json& operation : patch) out.insert(operation["path"].get<std::string>());
  return out;
}

json& env_of(json& pod, std::size_t container = 0) {
  return pod["spec"]["containers"][container]["env"];
}

json* entry(json& pod, const std::string& name, std::size_t container = 0) {
  for (json& each : env_of(pod, container))
    if (each["name"] == name) return &each;
  return nullptr;
}

void drop(json& pod, const std::string& name, std::size_t container = 0) {
  json& env = env_of(pod, container);
  json left = json::array();
  for (const json& each : env)
    if (each["name"] != name) left.push_back(each);
  env = left;
}

void annotate(json& pod, const char* pointer, const json& value) {
  pod[json::json_pointer(pointer)] = value;
}

void drop_annotation(json& pod, const char* key) {
  pod["metadata"]["annotations"].erase(key);
}

// --- Pods of every kind -------------------------------------------------------------------

struct Kind {
  std::string_view name;
  PodBuilder pod;
};

const Kind kinds[] = {
    {"job", a_pod().job("train", 1).on("2x4", 4).env("A", "1")},
    {"job_host_0_with_default", a_pod().job("train", 0).on("2x4", 4).env("TPU_WORKER_ID", "0")},
    {"job_with_defaults", a_pod()
                              .job("train", 1)
                              .on("2x4", 4)
                              .env("TPU_WORKER_ID", "0")
                              .env("TPU_WORKER_HOSTNAMES", "localhost")
                              .env("TPU_PROCESS_ADDRESSES", "localhost:8471")},
    // The sglang guide: everything set by hand, just as we would.
    {"job_all_by_hand",
     a_pod()
         .job("train", 1)
         .on("2x4", 4)
         .env("TPU_WORKER_HOSTNAMES", "train-0.svc,train-1.svc")
         .env_from("TPU_WORKER_ID", "metadata.labels['batch.kubernetes.io/job-completion-index']")},
    {"job_without_subdomain", a_pod().job("train", 1).on("2x4", 4).remove("/spec/subdomain")},
    {"jobset", a_pod().jobset("s", "r", 2, 1, 1).on("2x4", 4)},
    {"jobset_opted_out",
     a_pod().jobset("s", "r", 2, 1, 1).on("2x4", 4).env("MEGASCALE_NUM_SLICES", "")},
    {"jobset_their_coordinator",
     a_pod().jobset("s", "r", 2, 1, 1).on("2x4", 4).env("MEGASCALE_COORDINATOR_ADDRESS", "head")},
    {"jobset_ironwood_two",
     a_pod().jobset("s", "r", 2, 0, 1).accelerator("tpu7x").on("2x2x2", 2).container("b", 2)},
    {"jobset_ironwood_port", a_pod()
                                 .jobset("s", "r", 2, 0, 1)
                                 .accelerator("tpu7x")
                                 .on("2x2x2", 2)
                                 .env("TPU_PROCESS_PORT", "9000")
                                 .env("MEGASCALE_PORT", "9100")
                                 .container("b", 2)},
    {"ray", a_pod().ray("c", "g", 1, 1).on("2x4", 4)},
    {"ray_slices", a_pod().ray("c", "g", 1, 1).on("2x4", 4).env("MEGASCALE_NUM_SLICES", "2")},
    {"ray_one_host", a_pod().ray("c", "g", 1, 0).on("2x2", 4)},
    {"ray_their_address", a_pod()
                              .ray("c", "g", 1, 1)
                              .on("2x4", 4)
                              .env("TPU_DEVICE_PLUGIN_ADDR", "$(TPU_DEVICE_PLUGIN_HOST_IP):9")},
    {"ray_host_ip_only", a_pod()
                             .ray("c", "g", 1, 1)
                             .on("2x4", 4)
                             .env("A", "1")
                             .env_from("TPU_DEVICE_PLUGIN_HOST_IP", "status.podIP")},
    {"ironwood_pod", a_pod().accelerator("tpu7x").on("2x2x1", 2).container("b", 2)},
    {"init_container", a_pod().job("train", 1).on("2x4", 4).init_container("i", 4)},
    {"sidecar", a_pod().accelerator("tpu7x").on("2x2x1", 2).sidecar("s", 2)},
    {"one_host", a_pod().on("2x2", 4)},
};

class EveryKind : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Again, EveryKind, testing::ValuesIn(kinds), case_name);

TEST_P(EveryKind, a_record_taken_away_comes_back_alone) {
  const auto first = admit(GetParam().pod);
  const std::vector<std::function<void(json&)>> thefts = {
      [](json& pod) { annotate(pod, injected, ""); },
      [](json& pod) { annotate(pod, injected, "garbage"); },
      [](json& pod) { annotate(pod, injected, "v1"); },
      [](json& pod) { annotate(pod, injected, nullptr); },
      [](json& pod) { drop_annotation(pod, "tpu-webhook.dev/injected"); },
      [](json& pod) { drop_annotation(pod, "tpu-webhook.dev/slice"); },
      [](json& pod) { annotate(pod, slice_note, "nonsense"); },
  };
  if (!first.object["metadata"].contains("annotations") ||
      !first.object["metadata"]["annotations"].contains("tpu-webhook.dev/injected"))
    return;
  for (const auto& steal : thefts) {
    json pod = first.object;
    steal(pod);
    const auto again = admit_pod(pod);
    for (const std::string& path : paths(again.patch))
      EXPECT_TRUE(path == injected || path == slice_note)
          << path << " after " << pod["metadata"]["annotations"];
    EXPECT_EQ(again.object["spec"], first.object["spec"]);
    EXPECT_EQ(admit_pod(again.object).patch, none);
  }
}

// A value that somebody edits so that it contradicts is theirs, and ours of its set go.
TEST_P(EveryKind, an_edited_worker_id_takes_its_set_with_it) {
  json pod = admit(GetParam().pod).object;
  for (std::size_t c = 0; c < pod["spec"]["containers"].size(); ++c) {
    json edited = pod;
    if (!edited["spec"]["containers"][c].contains("env") ||
        entry(edited, "TPU_WORKER_ID", c) == nullptr)
      continue;
    *entry(edited, "TPU_WORKER_ID", c) = {{"name", "TPU_WORKER_ID"}, {"value", "77"}};
    const auto again = admit_pod(edited);
    for (std::size_t each = 0; each < pod["spec"]["containers"].size(); ++each)
      for (const char* name : {"TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID", "TPU_PROCESS_ADDRESSES",
                               "MEGASCALE_SLICE_ID", "TPU_NAME"}) {
        const auto is = effective(again, name, each);
        const auto given = effective(GetParam().pod.pod()["spec"]["containers"][each], name);
        EXPECT_TRUE(is == "(absent)" || is == given || (is == "77" && each == c)) << name << is;
      }
    EXPECT_EQ(admit_pod(again.object).patch, json::array());
  }
}

TEST_P(EveryKind, a_version_to_come_is_left_alone) {
  json pod = admit(GetParam().pod).object;
  if (!pod["metadata"].contains("annotations")) return;
  annotate(pod, injected, "v2;something;else");
  const json before = pod;
  EXPECT_EQ(admit_pod(pod).patch, none);
  // Not even what is missing.
  if (pod["spec"]["containers"][0].contains("env")) drop(pod, "TPU_WORKER_ID");
  EXPECT_EQ(admit_pod(pod).patch, none);
}

// --- What others do in between --------------------------------------------------------------

TEST(AgainChanged, a_users_equal_value_is_never_taken_for_ours) {
  const auto pod = a_pod()
                       .job("train", 1)
                       .on("2x4", 4)
                       .env("TPU_WORKER_HOSTNAMES", "train-0.svc,train-1.svc")
                       .env_from("TPU_WORKER_ID", "f");
  const auto first = admit(pod);
  EXPECT_FALSE(has(annotation(first, "tpu-webhook.dev/injected"), "TPU_"));
  EXPECT_EQ(admit_pod(first.object).patch, none);
}

TEST(AgainChanged, another_topology_is_computed_again_in_place) {
  json pod = admit(a_pod().job("train", 1).on("2x4", 4).env("A", "1")).object;
  const auto order = env_names(pod["spec"]["containers"][0]);
  pod["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "4x4";
  const auto again = admit_pod(pod);
  EXPECT_EQ(effective(again, "TPU_WORKER_HOSTNAMES"),
            "train-0.svc,train-1.svc,train-2.svc,train-3.svc");
  EXPECT_EQ(env_names(again.object["spec"]["containers"][0]), order);
  EXPECT_TRUE(has(annotation(again, "tpu-webhook.dev/slice"), "1 of 4"));
  EXPECT_EQ(admit_pod(again.object).patch, none);
}

TEST(AgainChanged, a_copy_for_another_member_is_computed_again_in_place) {
  json pod = admit(a_pod().jobset("s", "r", 2, 0, 0).on("2x4", 4).env("A", "1")).object;
  const json other = a_pod().jobset("t", "r", 3, 2, 1).on("2x4", 4).pod();
  pod["metadata"]["labels"].update(other["metadata"]["labels"]);
  pod["metadata"]["ownerReferences"] = other["metadata"]["ownerReferences"];
  pod["spec"]["hostname"] = other["spec"]["hostname"];
  pod["spec"]["subdomain"] = other["spec"]["subdomain"];
  const auto copy = admit_pod(pod);
  const auto fresh = admit(a_pod().jobset("t", "r", 3, 2, 1).on("2x4", 4).env("A", "1"));
  EXPECT_EQ(copy.object["spec"], fresh.object["spec"]);
  EXPECT_EQ(copy.object["metadata"]["annotations"]["tpu-webhook.dev/injected"],
            fresh.object["metadata"]["annotations"]["tpu-webhook.dev/injected"]);
  EXPECT_EQ(label(copy, "tpu-webhook.dev/slice-key"), label(fresh, "tpu-webhook.dev/slice-key"));
  EXPECT_EQ(admit_pod(copy.object).patch, none);
}

TEST(AgainChanged, what_no_longer_applies_is_removed) {
  json pod = admit(a_pod().jobset("s", "r", 2, 0, 0).on("2x4", 4).env("A", "1")).object;
  pod["metadata"]["labels"]["jobset.sigs.k8s.io/replicatedjob-replicas"] = "1";
  const auto again = admit_pod(pod);
  EXPECT_EQ(env_names(again.object["spec"]["containers"][0]),
            (std::vector<std::string>{"TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID", "A"}));
  EXPECT_EQ(admit_pod(again.object).patch, none);
}

TEST(AgainChanged, an_opt_out_added_later_takes_the_rest_away) {
  json pod = admit(a_pod().jobset("s", "r", 2, 0, 0).on("2x4", 4)).object;
  *entry(pod, "MEGASCALE_NUM_SLICES") = {{"name", "MEGASCALE_NUM_SLICES"}};
  const auto again = admit_pod(pod);
  EXPECT_EQ(
      env_names(again.object["spec"]["containers"][0]),
      (std::vector<std::string>{"MEGASCALE_NUM_SLICES", "TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID"}));
  EXPECT_EQ(admit_pod(again.object).patch, none);
}

// tpu7x: a second TPU container makes other ids, ports and lists of the first one's.
struct Added {
  std::string_view name;
  PodBuilder before;
  bool in_front;
};

class ContainerAdded : public testing::TestWithParam<Added> {};

TEST_P(ContainerAdded, is_computed_again_and_nothing_else) {
  json pod = admit(GetParam().before).object;
  const json added = {
      {"name", "added"},
      {"image", "i"},
      {"env", json::array({{{"name", "MINE"}, {"value", "1"}}})},
      {"resources",
       {{"limits", {{"google.com/tpu", "2"}}}, {"requests", {{"google.com/tpu", "2"}}}}}};
  json fresh = GetParam().before.pod();
  for (json* each : {&pod, &fresh}) {
    json& list = (*each)["spec"]["containers"];
    list.insert(GetParam().in_front ? list.begin() : list.end(), added);
  }
  const auto again = admit_pod(pod);
  const auto want = admit_pod(fresh);
  ASSERT_TRUE(again.allowed && want.allowed) << again.message << want.message;
  for (std::size_t c = 0; c < 2; ++c) {
    const json& left = again.object["spec"]["containers"][c];
    const json& right = want.object["spec"]["containers"][c];
    for (std::size_t v = 0; v < read::variable_count; ++v)
      EXPECT_EQ(effective(left, read::variable_names[v]), effective(right, read::variable_names[v]))
          << c << read::variable_names[v];
  }
  EXPECT_EQ(again.warnings, want.warnings);
  for (const std::string& path : paths(again.patch))
    EXPECT_TRUE(path.starts_with("/spec/containers/") || path == injected || path == slice_note)
        << path;
  EXPECT_EQ(admit_pod(again.object).patch, none);
}

PodBuilder half() {
  return a_pod().accelerator("tpu7x").tpu(2).env("A", "1");
}

INSTANTIATE_TEST_SUITE_P(
    Again, ContainerAdded,
    testing::Values(
        Added{"job_behind", half().job("t", 1).topology("2x2x2"), false},
        Added{"job_in_front", half().job("t", 1).topology("2x2x2"), true},
        Added{"jobset_behind", half().jobset("s", "r", 2, 1, 1).topology("2x2x2"), false},
        Added{"jobset_in_front", half().jobset("s", "r", 2, 1, 1).topology("2x2x2"), true},
        Added{"ray_in_front", half().ray("c", "g", 0, 1).topology("2x2x2"), true},
        Added{"user_port_in_front",
              half().env("TPU_PROCESS_PORT", "9000").job("t", 1).topology("2x2x2"), true},
        Added{"becomes_one_host", half().job("t", 0).topology("2x2x1"), true}),
    case_name);

TEST(AgainChanged, an_entry_added_behind_ours_counts) {
  json pod = admit(a_pod().job("train", 1).on("2x4", 4)).object;
  env_of(pod).push_back({{"name", "TPU_WORKER_ID"}, {"value", "9"}});
  const auto again = admit_pod(pod);
  EXPECT_EQ(effective(again, "TPU_WORKER_ID"), "9");
  EXPECT_EQ(admit_pod(again.object).patch, none);
}

TEST(AgainChanged, containers_moved_keep_theirs) {
  json pod = admit(a_pod().job("train", 1).on("2x4", 4).env("A", "1")).object;
  pod["spec"]["containers"].insert(pod["spec"]["containers"].begin(),
                                   {{"name", "proxy"}, {"image", "i"}});
  EXPECT_EQ(admit_pod(pod).patch, none);
}

TEST(AgainChanged, another_configuration_changes_nothing_that_is_there) {
  const json pod = admit(half().job("t", 1).topology("2x2x2")).object;
  Around other;
  other.config.base_port = 9000;
  EXPECT_EQ(admit_pod(pod, other).patch, none);
}

TEST(AgainChanged, a_term_of_ours_for_another_slice_is_replaced_where_it_stands) {
  json pod = admit(a_pod().job("train", 1).on("2x4", 4)).object;
  pod["metadata"]["ownerReferences"][0]["uid"] = "another";
  const auto again = admit_pod(pod);
  EXPECT_EQ(again.patch.size(), 4u) << again.patch;  // the label and three terms
  for (const json& operation : again.patch) EXPECT_EQ(operation["op"], "replace");
  EXPECT_EQ(admit_pod(again.object).patch, none);
}

}  // namespace
}  // namespace tpuwh::webhook::answer
