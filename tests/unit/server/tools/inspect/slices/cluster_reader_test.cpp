#include "server/tools/inspect/slices/cluster_reader.hpp"

#include "server/tools/inspect/source/snapshot_file.hpp"
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

TEST(SnapshotFile, says_what_is_wrong_with_it) {
  std::istringstream none;
  const auto error = [&](const std::string& file, std::istream& in) {
    source::SnapshotFile source({file}, in);
    return read_cluster(source, {}).error().text();
  };
  EXPECT_THAT(error("/no/such", none),
              testing::StartsWith(
                  "cannot read /no/such: No such file or directory; expected a file, a folder"));
  EXPECT_THAT(error("-", none), testing::StartsWith("standard input is empty; create it with"));
  std::istringstream empty(R"({"kind": "List", "items": []})");
  EXPECT_THAT(error("-", empty), testing::StartsWith("standard input holds no objects; create"));
}

}  // namespace
}  // namespace tpuwh::server::slices
