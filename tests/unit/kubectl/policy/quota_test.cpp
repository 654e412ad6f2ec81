#include "kubectl/policy/quota.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tpuwh::server::policy {
namespace {

using Json = nlohmann::ordered_json;

TEST(AShareOfATeam, is_a_namespace_chips_and_perhaps_an_accelerator) {
  EXPECT_EQ(*parse_share("ml=64"), (ShareOfTeam{"ml", 64}));
  EXPECT_EQ(*parse_share("ml=0,tpu-v6e-slice"), (ShareOfTeam{"ml", 0, "tpu-v6e-slice"}));
  EXPECT_EQ(*parse_share("ml=8,tpu9-slice"), (ShareOfTeam{"ml", 8, "tpu9-slice"}));  // to come
}

TEST(BadShares, are_told_with_what_is_right) {
  const std::pair<std::string, std::string> cases[] = {
      {"ml", "expected NAMESPACE=CHIPS or NAMESPACE=CHIPS,ACCELERATOR, got \"ml\""},
      {"=4", "expected the name of a namespace, got \"\""},
      {"ML=4", "expected the name of a namespace, got \"ML\""},
      {"ml=0.5", "expected a number of chips, got \"0.5\""},
      {"ml=1k", "expected a number of chips, got \"1k\""},
      {"ml=-1", "expected a number of chips, got \"-1\""},
      {"ml=", "expected a number of chips, got \"\""},
      {"ml=4,", "expected an accelerator such as tpu-v6e-slice, got \"\""},
      {"ml=4,v6e",
       "expected an accelerator such as tpu-v6e-slice, got \"v6e\"; did you "
       "mean \"tpu-v6e-slice\"?"},
      {"ml=4,a b", "expected an accelerator such as tpu-v6e-slice, got \"a b\""},
  };
  for (const auto& [text, want] : cases) {
    SCOPED_TRACE(text);
    const auto share = parse_share(text);
    ASSERT_FALSE(share.has_value());
    EXPECT_EQ(share.error().text(), want);
  }
}

TEST(Shares, contradict_each_other_by_namespace) {
  EXPECT_EQ(contradiction({{"a", 1, "tpu7x"}, {"a", 1, "tpu-v6e-slice"}, {"b", 1}}), "");
  EXPECT_EQ(contradiction({{"a", 1}, {"a", 1}}), "namespace a is given chips twice");
  EXPECT_EQ(contradiction({{"a", 1, "tpu7x"}, {"a", 2, "tpu7x"}}),
            "namespace a is given chips of tpu7x twice");
  EXPECT_EQ(contradiction({{"a", 1}, {"a", 1, "tpu7x"}}),
            "namespace a is given chips of any accelerator, and of tpu7x; name one for each "
            "number, or for none");
}

std::vector<std::string> titles(const std::vector<Json>& objects) {
  std::vector<std::string> out;
  for (const Json& each : objects)
    out.push_back(each["kind"].get<std::string>() + " " + each["metadata"].value("namespace", "") +
                  "/" + each["metadata"]["name"].get<std::string>());
  return out;
}

const std::vector<ShareOfTeam> two_teams = {
    {"vision", 32, "tpu-v6e-slice"}, {"ml", 64, "tpu-v6e-slice"}, {"ml", 16, "tpu-v5p-slice"}};

TEST(QuotaObjects, are_of_each_namespace_and_each_accelerator) {
  EXPECT_EQ(titles(quota_objects(two_teams, QuotaOf::both)),
            (std::vector<std::string>{
                "ResourceQuota ml/tpu", "ResourceQuota vision/tpu", "ResourceFlavor /tpu-v5p-slice",
                "ResourceFlavor /tpu-v6e-slice", "ClusterQueue /tpu-ml", "ClusterQueue /tpu-vision",
                "LocalQueue ml/tpu", "LocalQueue vision/tpu"}));
  EXPECT_EQ(titles(quota_objects({{"ml", 4}}, QuotaOf::kubernetes)),
            (std::vector<std::string>{"ResourceQuota ml/tpu"}));
  EXPECT_EQ(titles(quota_objects({{"ml", 4}}, QuotaOf::kueue)),
            (std::vector<std::string>{"ResourceFlavor /tpu", "ClusterQueue /tpu-ml",
                                      "LocalQueue ml/tpu"}));
}

// It counts no accelerators apart.
TEST(AResourceQuota, has_the_chips_of_all_accelerators) {
  EXPECT_EQ(
      quota_objects(two_teams, QuotaOf::kubernetes).front().dump(),
      R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"tpu","namespace":"ml"},)"
      R"("spec":{"hard":{"requests.google.com/tpu":"80",)"
      R"("requests.deviceclass.resource.kubernetes.io/tpu.google.com":"80",)"
      R"("tpu.google.com.deviceclass.resource.k8s.io/devices":"80"}}})");
}

TEST(AClusterQueue, has_a_flavor_for_each_accelerator) {
  const auto objects = quota_objects(two_teams, QuotaOf::kueue);
  EXPECT_EQ(objects[0]["spec"].dump(),
            R"({"nodeLabels":{"cloud.google.com/gke-tpu-accelerator":"tpu-v5p-slice"}})");
  EXPECT_EQ(
      objects[2]["spec"].dump(),
      R"({"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"ml"}},)"
      R"("queueingStrategy":"BestEffortFIFO","resourceGroups":[{"coveredResources":["google.com/tpu"],)"
      R"("flavors":[{"name":"tpu-v5p-slice","resources":[{"name":"google.com/tpu","nominalQuota":"16"}]},)"
      R"({"name":"tpu-v6e-slice","resources":[{"name":"google.com/tpu","nominalQuota":"64"}]}]}]})");
  EXPECT_EQ(objects[4]["spec"].dump(), R"({"clusterQueue":"tpu-ml"})");
  EXPECT_EQ(quota_objects({{"ml", 4}}, QuotaOf::kueue).front()["spec"].dump(), "{}");
}

}  // namespace
}  // namespace tpuwh::server::policy
