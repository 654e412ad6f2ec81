#include "kubectl/inspect/source/objects.hpp"

#include "kubectl/inspect/source/latest.hpp"
#include "kubectl/inspect/source/newest_time.hpp"
#include "kubectl/inspect/source/snapshot_file.hpp"
#include "kubectl/objects/read_json.hpp"
#include "kubectl/text/rfc3339.hpp"
#include "server/text/json_text.hpp"
#include "tests/support/named_case.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace tpuwh::server::source {
namespace {

using test::PrintTo;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

// What a snapshot of Pods tells: "KIND NAMESPACE/NAME" in order, and behind it what was left out;
// or the error.
std::vector<std::string> told(const std::string& text) {
  std::istringstream in(text);
  SnapshotFile file({"-"}, in);
  std::vector<std::string> out;
  const auto fine = file.for_each([&](std::string_view kind, const nlohmann::ordered_json& object) {
    const auto& metadata = text::member(object, "metadata");
    out.push_back(fmt::format("{} {}/{}", kind, text::text_member(metadata, "namespace"),
                              text::text_member(metadata, "name")));
    EXPECT_EQ(text::text_member(object, "kind"), kind);
  });
  if (!fine) return {fine.error().text()};
  for (const std::string& each : file.not_known()) out.push_back(each);
  return out;
}

// A Pod as JSON, with what `more` says of its metadata.
std::string pod_text(const std::string& name, const std::string& more = "") {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"namespace":"ml","name":"{}"{}}},"status":{{}}}})",
      name, more.empty() ? "" : "," + more);
}
std::string state_text(const std::string& name, const std::string& uid, int version) {
  return pod_text(name, fmt::format(R"("uid":"{}","resourceVersion":"{}")", uid, version));
}
const std::string node_text = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})";
const std::string bare_text = R"({"metadata":{"namespace":"ml","name":"a"},"status":{}})";

std::string list_text(const std::string& items, const std::string& kind = "List",
                      const std::string& metadata = "{}") {
  return fmt::format(R"({{"apiVersion":"v1","items":[{}],"kind":"{}","metadata":{}}})", items, kind,
                     metadata);
}
std::string event_text(const std::string& type, const std::string& object) {
  return fmt::format(R"({{"type":"{}","object":{}}})", type, object);
}

struct Given {
  const char* name;
  std::string text;
  std::vector<std::string> want;
};

class ASnapshot : public testing::TestWithParam<Given> {};

TEST_P(ASnapshot, tells) {
  EXPECT_THAT(told(GetParam().text), ElementsAreArray(GetParam().want));
}

const std::string of_yaml =
    "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {namespace: ml, name: a, "
    "uid: u}\n";

INSTANTIATE_TEST_SUITE_P(
    Forms, ASnapshot,
    testing::Values(
        Given{"a_pod", pod_text("a"), {"Pod ml/a"}},
        Given{"pods_last", list_text(pod_text("a") + "," + node_text), {"Node /n", "Pod ml/a"}},
        Given{"a_typed_list", list_text(bare_text, "PodList"), {"Pod ml/a"}},
        Given{"lists_in_a_list",
              list_text(list_text(bare_text, "PodList") + "," + list_text(node_text)),
              {"Node /n", "Pod ml/a"}},
        Given{"lists_behind_lists",
              list_text(node_text) + "\n" + list_text(pod_text("a")),
              {"Node /n", "Pod ml/a"}},
        Given{"an_empty_typed_list", R"({"kind":"PodList","apiVersion":"v1","items":null})", {}},
        Given{"items_of_a_null_list",
              list_text(node_text) + R"({"kind":"PodList","items":[]})",
              {"Node /n"}},
        Given{"no_kind_and_items", "{\"items\":[" + pod_text("a") + "]}", {"Pod ml/a"}},
        Given{"yaml", of_yaml + "kind: List\nmetadata:\n  resourceVersion: \"\"\n", {"Pod ml/a"}},
        Given{"yaml_without_its_end", of_yaml + "kind: PodList\n", {"Pod ml/a"}},
        Given{"a_watch",
              event_text("ADDED", state_text("a", "u", 9)) + "\n" +
                  event_text("ADDED", state_text("b", "v", 10)) + "\n" +
                  event_text("MODIFIED", state_text("a", "u", 11)) + "\n" +
                  event_text("BOOKMARK", pod_text("")) + "\n" +
                  event_text("DELETED", state_text("b", "v", 12)),
              {"Pod ml/a"}},
        Given{"one_uid_twice",
              list_text(state_text("a", "u", 9) + "," + state_text("a", "u", 9)),
              {"Pod ml/a"}},
        Given{"names_with_escapes",
              list_text(pod_text("\\u0061", R"("uid":"u")") + "," +
                        pod_text("a", R"("uid":"\u0075")")),
              {"Pod ml/a"}},
        Given{"two_of_equal_text", list_text(pod_text("a") + "," + pod_text("a")), {"Pod ml/a"}},
        Given{"another_uid_of_a_name",
              list_text(state_text("a", "u", 9) + "," + state_text("a", "v", 10)),
              {"Pod ml/a",
               "1 of the objects left out, since a newer one of the same kind and name exists"}},
        Given{
            "a_service_of_knative",
            list_text(pod_text("a") + R"(,{"apiVersion":"serving.knative.dev/v1","kind":"Service",)"
                                      R"("metadata":{"name":"s","uid":"u"}})"),
            {"Pod ml/a", "left out, since nothing of them is read: 1 Service.serving.knative.dev"}},
        Given{"what_is_left_out",
              list_text(pod_text("a") + R"(,{"kind":"ConfigMap"},{"kind":"NetworkPolicy"},)"
                                        R"({"kind":"NetworkPolicy"},{"metadata":{}},5)"),
              {"ConfigMap /", "NetworkPolicy /", "NetworkPolicy /", "Pod ml/a",
               "left out, since nothing of them is read: 1 ConfigMap, 2 NetworkPolicies, 1 item "
               "that is not an object and 1 item without kind"}},
        Given{"a_pod_of_a_manifest",
              "kind: Pod\nmetadata: {namespace: ml, name: a}\n",
              {"Pod ml/a",
               "1 of the Pods with neither uid nor status, as in a manifest, which kubectl tpu "
               "explain reads"}},
        Given{
            "a_list_that_goes_on",
            "\n" + list_text(bare_text, "PodList", R"({"continue":"abc","remainingItemCount":7})"),
            {"Pod ml/a", "the PodList at line 2 continues elsewhere: 7 more are not in it"}}),
    test::case_name);

// The one with the highest resourceVersion, wherever it stands; a number, not a text.
TEST(ASnapshot, has_the_newest_state_of_an_object) {
  std::istringstream in(list_text(state_text("a", "u", 9) + "," + state_text("a", "u", 100) + "," +
                                  state_text("a", "u", 10)));
  SnapshotFile file({"-"}, in);
  std::vector<std::string> versions;
  ASSERT_TRUE(file.for_each([&](std::string_view, const nlohmann::ordered_json& object) {
    versions.push_back(object["metadata"]["resourceVersion"]);
  }));
  EXPECT_THAT(versions, ElementsAre("100"));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, ASnapshot, testing::ValuesIn([] {
      std::vector<Given> cases = {
          {"empty", " ", {"standard input is empty"}},
          {"no_objects", list_text(""), {"standard input holds no objects"}},
          {"a_word", "hello", {"standard input holds no Pod, but 1 item that is not an object"}},
          {"other_kinds",
           list_text(node_text + "," + node_text),
           {"standard input holds no Pod, but 1 Node"}},
          {"a_table",
           R"({"kind":"Table","rows":[{"object":{"kind":"Pod"}}]})",
           {"standard input holds no Pod, but 1 Table (columns for people; expected -o json)"}},
          {"a_review",
           R"({"kind":"AdmissionReview","request":{"object":{"kind":"Pod"}}})",
           {"standard input holds no Pod, but 1 AdmissionReview (kubectl tpu review answers it)"}},
          {"a_manifest",
           "kind: Job\n---\nkind: Service\n",
           {"standard input holds no Pod, but 1 Job (a manifest, which kubectl tpu explain reads) "
            "and 1 Service"}},
          {"a_failure",
           R"({"kind":"Status","status":"Failure"})",
           {"standard input holds no Pod, but 1 Status (an API server's report of a failure)"}},
          {"yaml_cut_off",
           of_yaml,
           {"standard input: line 5: the text ends inside a list, whose kind is written last: it "
            "has items and no kind; it is cut off"}},
          {"yaml_cut_off_in_its_kind",
           of_yaml + "kind: Li",
           {"standard input: line 6: the text ends inside a list, whose kind is written last: it "
            "has items and ends in kind Li; it is cut off"}},
          {"yaml_behind_yaml",
           of_yaml + "kind: List\n" + of_yaml + "kind: List\n",
           {"standard input: line 7: duplicate key apiVersion; expected --- before a second "
            "document"}},
          {"json_cut_off",
           list_text(pod_text("a")).substr(0, 60) + "\n",
           {"standard input: line 1: the text ends inside a value: it is cut off"}},
          {"a_number_that_is_none",
           pod_text("a") + "\n" + pod_text("b", "\"x\":01"),
           {"standard input: line 2, column 78: not JSON"}},
      };
      for (Given& each : cases) each.want[0] += "; create it with " + reads_of_slices().made_with;
      return cases;
    }()),
    test::case_name);

TEST(Manifests, of_one_uid_are_one_and_others_stay) {
  std::istringstream in(state_text("a", "u", 1) + state_text("a", "u", 2) + pod_text("b") +
                        pod_text("b"));
  auto input = Input::read({"-"}, in, {.each = 10'000, .together = 10'000});
  ASSERT_TRUE(input) << input.error().text();
  EXPECT_EQ(keep_latest(input->objects(), false), 0u);
  ASSERT_EQ(input->objects().size(), 3u);
  EXPECT_EQ(input->objects()[0].resource_version, "2");
}

struct Time {
  const char* name;
  const char* object;
  const char* want;  // "" for none
};

class ATime : public testing::TestWithParam<Time> {};

TEST_P(ATime, of_a_snapshot_is_the_newest_that_something_happened) {
  NewestTime newest;
  newest.look_at(objects::parse_json(GetParam().object));
  const std::string_view want = GetParam().want;
  EXPECT_EQ(newest.get(), want.empty() ? std::nullopt : text::parse_time(want));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ATime,
    testing::Values(
        Time{"none", R"({"kind":"Pod"})", ""},
        Time{"creation", R"({"metadata":{"creationTimestamp":"2026-03-03T08:00:00Z"}})",
             "2026-03-03T08:00:00Z"},
        Time{"a_condition",
             R"({"metadata":{"creationTimestamp":"2026-03-03T08:00:00Z"},"status":{"conditions":[
                 {"lastHeartbeatTime":"2026-03-04T08:00:00Z","lastTransitionTime":null}]}})",
             "2026-03-04T08:00:00Z"},
        Time{"a_container",
             R"({"status":{"containerStatuses":[{"state":{"terminated":{
                 "finishedAt":"2026-03-05T08:00:00Z","startedAt":"2026-03-04T08:00:00Z"}}}]}})",
             "2026-03-05T08:00:00Z"},
        Time{"a_deletion_when_it_was_asked_for",
             R"({"metadata":{"deletionTimestamp":"2026-03-03T08:01:00Z",
                 "deletionGracePeriodSeconds":60}})",
             "2026-03-03T08:00:00Z"},
        Time{"a_deletion_without_grace",
             R"({"metadata":{"deletionTimestamp":"2026-03-03T08:01:00Z"}})", ""},
        Time{"a_grace_without_bounds",
             R"({"metadata":{"creationTimestamp":"2026-03-03T08:00:00Z",
                 "deletionTimestamp":"2026-03-03T08:01:00Z",
                 "deletionGracePeriodSeconds":9223372036854775807}})",
             "2026-03-03T08:00:00Z"},
        Time{"a_write", R"({"metadata":{"managedFields":[{"time":"2026-03-03T09:00:00Z"},{}]}})",
             "2026-03-03T09:00:00Z"},
        Time{"another_zone",
             R"({"metadata":{"creationTimestamp":"2026-03-03T08:00:00+02:00",
                 "managedFields":[{"time":"2026-03-03T07:00:00Z"}]}})",
             "2026-03-03T07:00:00Z"},
        Time{"no_object", "5", ""},
        Time{"an_event", R"({"kind":"Event","lastTimestamp":"2026-03-03T08:00:00Z"})",
             "2026-03-03T08:00:00Z"},
        Time{"a_taint", R"({"spec":{"taints":[{"timeAdded":"2026-03-03T08:00:00Z"}]}})",
             "2026-03-03T08:00:00Z"},
        Time{"a_fraction", R"({"spec":{"renewTime":"2026-03-03T08:00:00.999999Z"}})",
             "2026-03-03T08:00:00Z"},
        Time{"no_day_to_come",
             R"({"metadata":{"annotations":{"creationTimestamp":"2036-03-03T08:00:00Z"}},
                 "spec":{"startTime":"2036-03-03T08:00:00Z"},
                 "status":{"notAfter":"2036-03-03T08:00:00Z","startedAt":5}})",
             ""},
        Time{"no_time", R"({"metadata":{"creationTimestamp":"2026-13-03T08:00:00Z"}})", ""}),
    test::case_name);

}  // namespace
}  // namespace tpuwh::server::source
