#include "server/doctor/snapshot.hpp"

#include "server/doctor/check.hpp"
#include "tests/unit/server/doctor/installed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace tpuwh::server::doctor {
namespace {

using testing::HasSubstr;

Json named(Json object, const char* kind, const std::string& ns) {
  object["kind"] = kind;
  object["metadata"]["name"] = "tpu-webhook";
  if (!ns.empty()) object["metadata"]["namespace"] = ns;
  return object;
}

// What kubectl get prints of an installation; and a stranger of each kind that is asked for by
// name.
std::vector<Json> printed() {
  const View view = installed();
  Json pod = view.pods.items.front();
  pod["metadata"]["labels"]["app"] = "tpu-webhook";
  const Json ready = {{"type", "Ready"}, {"status", "True"}};
  pod["status"]["conditions"] = Json::array({ready});
  Json slice = view.endpoint_slices.items.front();
  slice["metadata"]["labels"]["kubernetes.io/service-name"] = "tpu-webhook";
  const Json ray = {{"kind", "CustomResourceDefinition"}, {"spec", {{"group", "ray.io"}}}};
  return {named(view.configuration.object, "MutatingWebhookConfiguration", ""),
          named(view.validating.object, "ValidatingWebhookConfiguration", ""),
          named(view.cluster_role.object, "ClusterRole", ""),
          named(view.cluster_role_binding.object, "ClusterRoleBinding", ""),
          named(view.role.object, "Role", here),
          named(view.role_binding.object, "RoleBinding", here),
          named(view.service.object, "Service", here),
          named(view.deployment.object, "Deployment", here),
          named(slice, "EndpointSlice", here),
          named(pod, "Pod", here),
          named(Json::object(), "ConfigMap", here),
          named(Json::object(), "ClusterRole", "elsewhere"),
          ray};
}

// The worst verdict of each check.
std::map<std::string, Check> checked(const std::vector<Json>& objects, const std::string& ns = "") {
  std::map<std::string, Check> worst;
  for (const Check& each : examine(view_of(objects, ns, installed().now))) {
    const auto [at, anew] = worst.try_emplace(each.check, each);
    if (!anew && each.verdict != Verdict::ok) at->second = each;
  }
  return worst;
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
  const auto drop = [&objects](const char* kind, const char* ns) {
    std::erase_if(objects, [&](const Json& object) {
      return object["kind"] == kind && object["metadata"].value("namespace", "") == ns;
    });
  };
  drop("ClusterRole", "");
  EXPECT_EQ(checked(objects).at("rbac").verdict, Verdict::fail);
  drop("ClusterRole", "elsewhere");
  EXPECT_EQ(checked(objects).at("rbac").verdict, Verdict::unknown);
  EXPECT_THAT(checked(objects).at("rbac").what, HasSubstr("no ClusterRole in the snapshot"));
}

TEST(DoctorSnapshotTest, looks_where_it_is_told_to) {
  EXPECT_EQ(checked(printed(), "elsewhere").at("service").verdict, Verdict::fail);
  EXPECT_EQ(checked({}).at("configuration").verdict, Verdict::unknown);
}

}  // namespace
}  // namespace tpuwh::server::doctor
