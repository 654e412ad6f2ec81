#include "kubectl/inspect/doctor/snapshot.hpp"

#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "tests/unit/kubectl/inspect/doctor/installed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace tpuwh::server::doctor {
namespace {

using testing::HasSubstr;

// What the printed kubectl command gives of an installation; and a stranger of a kind that is asked
// for by name.
std::vector<Json> printed() {
  auto objects = sound_objects();
  std::erase_if(objects, [](const Json& each) { return each["kind"] == "Secret"; });
  objects.push_back({{"kind", "ClusterRole"}, {"metadata", {{"name", "elsewhere"}}}});
  objects.push_back({{"kind", "CustomResourceDefinition"}, {"spec", {{"group", "ray.io"}}}});
  return objects;
}

// The worst verdict of each check.
std::map<std::string, Check> checked(const std::vector<Json>& objects, const std::string& ns = "",
                                     const KindsListed& listed = listed_nowhere) {
  std::map<std::string, Check> worst;
  for (const Check& each : examine(view_of(objects, listed, ns, installed().now))) {
    const auto [at, anew] = worst.try_emplace(each.check, each);
    if (!anew && each.verdict != Verdict::ok) at->second = each;
  }
  return worst;
}

// A typed list without items says that there are none.
TEST(DoctorSnapshotTest, an_empty_typed_list_is_known) {
  std::vector<Json> objects = {{{"kind", "ConfigMap"}, {"metadata", {{"name", "elsewhere"}}}}};
  const auto listed = [](std::string_view kind) { return kind == "MutatingWebhookConfiguration"; };
  EXPECT_EQ(checked(objects)["configuration"].verdict, Verdict::unknown);
  EXPECT_EQ(checked(objects, "", listed)["configuration"].verdict, Verdict::fail);
}

TEST(DoctorSnapshotTest, namespaces_in_shadow_mode_are_those_with_the_label) {
  auto objects = printed();
  const auto add = [&](const char* name, Json labels) {
    objects.push_back(
        {{"kind", "Namespace"}, {"metadata", {{"name", name}, {"labels", std::move(labels)}}}});
  };
  add("ml", {{"tpu-webhook.dev/mode", "shadow"}});
  add("prod", {{"tpu-webhook.dev/mode", "enforce"}});
  add("web", Json::object());
  EXPECT_THAT(checked(objects).at("namespaces").what, testing::EndsWith("changed there: ml"));
}

TEST(DoctorSnapshotTest, says_of_a_file_what_a_file_can_say) {
  const auto found = checked(printed());
  for (const char* check : {"configuration", "service", "deployment", "versions", "validation",
                            "rbac", "order", "rival", "workload-apis", "ledger"})
    EXPECT_EQ(found.at(check).verdict, Verdict::ok) << check << ": " << found.at(check).what;
  for (const char* check : {"api-server", "freshness"}) {
    ASSERT_TRUE(found.contains(check)) << check;
    EXPECT_THAT(found.at(check).what, HasSubstr("a snapshot does not say")) << check;
  }
  EXPECT_THAT(found.at("certificate").what, HasSubstr("no Secret in the snapshot"));
}

TEST(DoctorSnapshotTest, a_missing_object_is_absent_only_where_its_kind_was_printed) {
  auto objects = printed();
  auto whole = sound_objects();
  objects.push_back(object_of(whole, "Secret", "tpu-webhook-config"));
  const auto drop = [&objects](const char* name) {
    std::erase_if(objects, [&](const Json& object) {
      return object["kind"] == "ClusterRole" && object["metadata"]["name"] == name;
    });
  };
  drop("tpu-webhook");
  EXPECT_EQ(checked(objects).at("rbac").verdict, Verdict::fail);
  drop("elsewhere");
  drop("tpu-webhook-keeper");
  EXPECT_EQ(checked(objects).at("rbac").verdict, Verdict::unknown);
  EXPECT_THAT(checked(objects).at("rbac").what, HasSubstr("no ClusterRole in the snapshot"));
}

TEST(DoctorSnapshotTest, reads_the_settings_where_they_are_mounted_from) {
  auto objects = printed();
  objects.push_back({{"kind", "Secret"},
                     {"metadata", {{"name", "tpu-webhook-config"}, {"namespace", here}}},
                     {"data",
                      {{"config.json", text::encode_base64("mode: shadow\n"
                                                           "workloads: [job]\n")}}}});
  const View view = view_of(objects, listed_nowhere, "", installed().now);
  EXPECT_EQ(setting(view, "mode"), "shadow");
  EXPECT_EQ(in_shadow(view, "job"), true);
  EXPECT_EQ(handled(view), std::vector<std::string>{"job"});
  EXPECT_TRUE(view.is_kept);
  EXPECT_EQ(view.secret_name, "tpu-webhook-certificate");
}

TEST(DoctorSnapshotTest, settings_in_a_secret_that_was_left_out_are_not_known) {
  const View view = view_of(printed(), listed_nowhere, "", installed().now);
  EXPECT_FALSE(settings_known(view));
  EXPECT_EQ(view.config.why, "no Secret in the snapshot");
  EXPECT_EQ(in_shadow(view, "job"), std::nullopt);
  EXPECT_EQ(view.secret_name, "tpu-webhook-certificate");
}

// After an upgrade the Pods before it drain for half a minute.
TEST(DoctorSnapshotTest, pods_that_are_being_deleted_say_nothing) {
  auto objects = printed();
  const auto before = checked(objects);
  std::vector<Json> leaving;
  for (Json pod : objects) {
    if (pod["kind"] != "Pod" || !pod["metadata"].contains("labels")) continue;
    Json& metadata = pod["metadata"];
    metadata["name"] = "of-the-release-before-" + metadata["name"].get<std::string>();
    metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    metadata["annotations"]["checksum/config"] = "another";
    pod["spec"]["containers"][0]["image"] = "another";
    leaving.push_back(std::move(pod));
  }
  ASSERT_FALSE(leaving.empty());
  objects.insert(objects.end(), leaving.begin(), leaving.end());
  const auto now = checked(objects);
  for (const auto& [name, check] : before) {
    EXPECT_EQ(now.at(name).verdict, check.verdict) << name << ": " << now.at(name).what;
    EXPECT_EQ(now.at(name).what, check.what) << name;
  }
}

TEST(DoctorSnapshotTest, looks_where_it_is_told_to) {
  EXPECT_EQ(checked(printed(), "elsewhere").at("service").verdict, Verdict::fail);
  EXPECT_EQ(checked({}).at("configuration").verdict, Verdict::unknown);
}

}  // namespace
}  // namespace tpuwh::server::doctor
