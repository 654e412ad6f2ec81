#include "kubectl/inspect/source/objects.hpp"

#include "kubectl/inspect/source/latest.hpp"
#include "kubectl/inspect/source/newest_time.hpp"
#include "kubectl/inspect/source/snapshot_file.hpp"
#include "kubectl/text/rfc3339.hpp"
#include "server/text/json_text.hpp"
#include "tests/support/yaml.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace tpuwh::server::source {
namespace {

using testing::ElementsAre;

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

using Texts = std::vector<std::string>;

const std::string of_yaml =
    "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {namespace: ml, name: a, "
    "uid: u}\n";

TEST(ASnapshot, tells) {
  const std::pair<std::string, Texts> cases[] = {
      {pod_text("a"), {"Pod ml/a"}},
      {list_text(pod_text("a") + "," + node_text), {"Node /n", "Pod ml/a"}},
      {list_text(bare_text, "PodList"), {"Pod ml/a"}},
      {list_text(list_text(bare_text, "PodList") + "," + list_text(node_text)),
       {"Node /n", "Pod ml/a"}},
      {list_text(node_text) + "\n" + list_text(pod_text("a")), {"Node /n", "Pod ml/a"}},
      {R"({"kind":"PodList","apiVersion":"v1","items":null})", {}},
      {list_text(node_text) + R"({"kind":"PodList","items":[]})", {"Node /n"}},
      {"{\"items\":[" + pod_text("a") + "]}", {"Pod ml/a"}},
      {of_yaml + "kind: List\nmetadata:\n  resourceVersion: \"\"\n", {"Pod ml/a"}},
      {of_yaml + "kind: PodList\n", {"Pod ml/a"}},
      {event_text("ADDED", state_text("a", "u", 9)) + "\n" +
           event_text("ADDED", state_text("b", "v", 10)) + "\n" +
           event_text("MODIFIED", state_text("a", "u", 11)) + "\n" +
           event_text("BOOKMARK", pod_text("")) + "\n" +
           event_text("DELETED", state_text("b", "v", 12)),
       {"Pod ml/a"}},
      {list_text(state_text("a", "u", 9) + "," + state_text("a", "u", 9)), {"Pod ml/a"}},
      {list_text(pod_text("\\u0061", R"("uid":"u")") + "," + pod_text("a", R"("uid":"\u0075")")),
       {"Pod ml/a"}},
      {list_text(pod_text("a") + "," + pod_text("a")), {"Pod ml/a"}},
      {list_text(state_text("a", "u", 9) + "," + state_text("a", "v", 10)),
       {"Pod ml/a",
        "1 of the objects left out, since a newer one of the same kind and name exists"}},
      {list_text(pod_text("a") + R"(,{"apiVersion":"serving.knative.dev/v1","kind":"Service",)"
                                 R"("metadata":{"name":"s","uid":"u"}})"),
       {"Pod ml/a", "left out, since nothing of them is read: 1 Service.serving.knative.dev"}},
      {list_text(pod_text("a") + R"(,{"kind":"ConfigMap"},{"kind":"NetworkPolicy"},)"
                                 R"({"kind":"NetworkPolicy"},{"metadata":{}},5)"),
       {"ConfigMap /", "NetworkPolicy /", "NetworkPolicy /", "Pod ml/a",
        "left out, since nothing of them is read: 1 ConfigMap, 2 NetworkPolicies, 1 item that is "
        "not an object and 1 item without kind"}},
      {"kind: Pod\nmetadata: {namespace: ml, name: a}\n",
       {"Pod ml/a",
        "1 of the Pods with neither uid nor status, as in a manifest, which kubectl tpu explain "
        "reads"}},
      {"\n" + list_text(bare_text, "PodList", R"({"continue":"abc","remainingItemCount":7})"),
       {"Pod ml/a", "the PodList at line 2 continues elsewhere: 7 more are not in it"}},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(told(text), want) << text;
}

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

TEST(ASnapshot, that_cannot_be_told_says_what_it_is) {
  const std::pair<std::string, std::string> cases[] = {
      {" ", "standard input is empty"},
      {list_text(""), "standard input holds no objects"},
      {"hello", "standard input holds no Pod, but 1 item that is not an object"},
      {list_text(node_text + "," + node_text), "standard input holds no Pod, but 1 Node"},
      {R"({"kind":"Table","rows":[{"object":{"kind":"Pod"}}]})",
       "standard input holds no Pod, but 1 Table (columns for people; expected -o json)"},
      {R"({"kind":"AdmissionReview","request":{"object":{"kind":"Pod"}}})",
       "standard input holds no Pod, but 1 AdmissionReview (kubectl tpu review answers it)"},
      {"kind: Job\n---\nkind: Service\n",
       "standard input holds no Pod, but 1 Job (a manifest, which kubectl tpu explain reads) and 1 "
       "Service"},
      {R"({"kind":"Status","status":"Failure"})",
       "standard input holds no Pod, but 1 Status (an API server's report of a failure)"},
      {of_yaml,
       "standard input: line 5: the text ends inside a list, whose kind is written last: it has "
       "items and no kind; it is cut off"},
      {of_yaml + "kind: Li",
       "standard input: line 6: the text ends inside a list, whose kind is written last: it has "
       "items and ends in kind Li; it is cut off"},
      {of_yaml + "kind: List\n" + of_yaml + "kind: List\n",
       "standard input: line 7: duplicate key apiVersion; expected --- before a second document"},
      {list_text(pod_text("a")).substr(0, 60) + "\n",
       "standard input: line 1: the text ends inside a value: it is cut off"},
      {pod_text("a") + "\n" + pod_text("b", "\"x\":01"),
       "standard input: line 2, column 78: not JSON"},
  };
  for (const auto& [text, want] : cases)
    EXPECT_EQ(told(text), Texts{want + "; create it with " + reads_of_slices().made_with}) << text;
}

TEST(Manifests, of_one_uid_are_one_and_others_stay) {
  std::istringstream in(state_text("a", "u", 1) + state_text("a", "u", 2) + pod_text("b") +
                        pod_text("b"));
  auto input = Input::read({"-"}, in, {.each = 10'000, .together = 10'000});
  ASSERT_TRUE(input) << input.error().text();
  EXPECT_EQ(keep_latest(input->objects(), false), 0u);
  ASSERT_EQ(input->objects().size(), 3u);
  EXPECT_EQ(input->objects()[0].resource_version, "2");
}

// Each case has an object and the newest time in it, "" if the object has none.
TEST(ATime, of_a_snapshot_is_the_newest_that_something_happened) {
  const std::pair<const char*, const char*> cases[] = {
      {"{kind: Pod}", ""},
      {"5", ""},
      {"{metadata: {creationTimestamp: 2026-03-03T08:00:00Z}}", "2026-03-03T08:00:00Z"},
      {"{metadata: {creationTimestamp: 2026-13-03T08:00:00Z}}", ""},
      {"{metadata: {creationTimestamp: 2026-03-03T08:00:00Z}, status: {conditions: "
       "[{lastHeartbeatTime: 2026-03-04T08:00:00Z, lastTransitionTime: null}]}}",
       "2026-03-04T08:00:00Z"},
      {"{status: {containerStatuses: [{state: {terminated: {finishedAt: 2026-03-05T08:00:00Z, "
       "startedAt: 2026-03-04T08:00:00Z}}}]}}",
       "2026-03-05T08:00:00Z"},
      // deletionTimestamp is the time of the request for a deletion plus the grace period. Without
      // a grace period the time of the request is not known.
      {"{metadata: {deletionTimestamp: 2026-03-03T08:01:00Z, deletionGracePeriodSeconds: 60}}",
       "2026-03-03T08:00:00Z"},
      {"{metadata: {deletionTimestamp: 2026-03-03T08:01:00Z}}", ""},
      {"{metadata: {creationTimestamp: 2026-03-03T08:00:00Z, deletionTimestamp: "
       "2026-03-03T08:01:00Z, deletionGracePeriodSeconds: 9223372036854775807}}",
       "2026-03-03T08:00:00Z"},
      {"{metadata: {managedFields: [{time: 2026-03-03T09:00:00Z}, {}]}}", "2026-03-03T09:00:00Z"},
      {"{metadata: {creationTimestamp: '2026-03-03T08:00:00+02:00', managedFields: [{time: "
       "2026-03-03T07:00:00Z}]}}",
       "2026-03-03T07:00:00Z"},
      {"{kind: Event, lastTimestamp: 2026-03-03T08:00:00Z}", "2026-03-03T08:00:00Z"},
      {"{spec: {taints: [{timeAdded: 2026-03-03T08:00:00Z}]}}", "2026-03-03T08:00:00Z"},
      {"{spec: {renewTime: 2026-03-03T08:00:00.999999Z}}", "2026-03-03T08:00:00Z"},
      // Fields that can have a time in the future do not count.
      {"{metadata: {annotations: {creationTimestamp: 2036-03-03T08:00:00Z}}, spec: {startTime: "
       "2036-03-03T08:00:00Z}, status: {notAfter: 2036-03-03T08:00:00Z, startedAt: 5}}",
       ""},
  };
  for (const auto& [object, want] : cases) {
    NewestTime newest;
    newest.look_at(test::yaml(object));
    EXPECT_EQ(newest.get(), text::parse_time(want)) << object;
  }
}

}  // namespace
}  // namespace tpuwh::server::source
