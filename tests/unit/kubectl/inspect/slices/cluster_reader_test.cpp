#include "kubectl/inspect/slices/cluster_reader.hpp"

#include "kubectl/inspect/source/snapshot_file.hpp"
#include "tests/support/pod_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tpuwh::server::slices {
namespace {

Result<Cluster> read_list(const test::json& items) {
  std::istringstream in(test::json{{"kind", "List"}, {"items", items}}.dump());
  source::SnapshotFile source({"-"}, in);
  return read_cluster(source, {});
}

TEST(ClusterReader, reads_what_is_around_the_pods) {
  auto items = test::json::array();
  items.push_back(test::a_pod().job("train", 1).topology("2x4").tpu(4).pod());
  items.back()["kind"] = "Pod";
  items.push_back(test::json::parse(R"({"kind": "Node", "metadata": {"name": "n",
      "labels": {"cloud.google.com/gke-nodepool": "p"}},
      "status": {"allocatable": {"google.com/tpu": "4"}}})"));
  items.push_back(test::json::parse(R"({"kind": "Service", "metadata": {"namespace": "ml",
      "name": "s"}, "spec": {"clusterIP": "None"}})"));
  items.push_back(test::json::parse(R"({"kind": "Pod", "metadata": {"namespace": "ml",
      "name": "bad"}, "spec": {"containers": 5}})"));
  items.push_back(5);
  const auto cluster = read_list(items);
  ASSERT_TRUE(cluster) << cluster.error().text();
  EXPECT_EQ(cluster->pods.size(), 1u);
  EXPECT_EQ(cluster->nodes.at("n").pool(), "p");
  EXPECT_EQ(cluster->nodes.at("n").chips, 4u);
  EXPECT_TRUE(cluster->services.at({"ml", "s"}).headless);
  EXPECT_THAT(cluster->unreadable,
              testing::ElementsAre(testing::HasSubstr("1 item that is not an object"),
                                   testing::HasSubstr("2 of the Pods with neither uid nor status"),
                                   testing::HasSubstr("Pod ml/bad was skipped: spec.containers")));
}

TEST(ClusterReader, reads_what_a_driver_says_of_its_nodes) {
  auto items = test::json::array();
  items.push_back(test::a_pod().job("train", 1).topology("2x4").tpu(4).pod());
  items.back()["kind"] = "Pod";
  const auto add = [&](const char* driver, const char* node, const char* device) {
    items.push_back({{"kind", "ResourceSlice"},
                     {"metadata", {{"name", node}}},
                     {"spec", {{"driver", driver}, {"nodeName", node}}}});
    items.back()["spec"]["devices"] = test::json::array({test::json::parse(device)});
  };
  add("tpu.google.com", "new", R"({"name": "0", "attributes":
      {"topology": {"string": "2x4"}, "chipCount": {"int": 4}}})");
  add("tpu.google.com", "qualified", R"({"name": "0", "attributes":
      {"tpu.google.com/topology": {"string": "2x2"}, "chipCount": {"int": 4}}})");
  add("tpu.google.com", "beta", R"({"name": "0", "basic": {"attributes":
      {"topology": {"string": "4x4"}, "chipCount": {"int": 8}}}})");
  add("tpu.google.com", "old", R"({"name": "0", "attributes": {"tpuGen": {"string": "v6e"}}})");
  add("tpu.google.com", "odd", R"({"name": "0", "attributes":
      {"topology": {"int": 2}, "chipCount": {"int": -4}}})");
  add("dra.net", "other", R"({"name": "eth1", "attributes": {}})");
  const auto cluster = read_list(items);
  ASSERT_TRUE(cluster) << cluster.error().text();
  using Driven = std::map<std::string, DrivenNode, std::less<>>;
  EXPECT_EQ(cluster->driven, (Driven{{"new", {"2x4", 4}},
                                     {"qualified", {"2x2", 4}},
                                     {"beta", {"4x4", 8}},
                                     {"old", {"", 0}},
                                     {"odd", {"", 0}}}));
}

TEST(ClusterReader, knows_whose_chips_are_a_drivers) {
  auto items = test::json::array();
  items.push_back(test::a_pod().job("train", 1).topology("2x4").tpu(4).pod());
  items.back()["kind"] = "Pod";
  items.push_back(items.back());
  items.back()["metadata"]["name"] = "served";
  items.back()["status"]["extendedResourceClaimStatus"] = test::json::parse(
      R"({"resourceClaimName": "c", "requestMappings": [{"containerName": "jax",
          "resourceName": "google.com/tpu", "requestName": "r"}]})");
  const auto cluster = read_list(items);
  ASSERT_TRUE(cluster) << cluster.error().text();
  ASSERT_EQ(cluster->pods.size(), 2u);
  EXPECT_FALSE(cluster->pods[0].by_claim);
  EXPECT_TRUE(cluster->pods[1].by_claim);
}

}  // namespace
}  // namespace tpuwh::server::slices
