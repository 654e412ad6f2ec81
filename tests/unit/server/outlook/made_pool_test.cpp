// Which node pool is printed for Pods, and why none is.
#include "server/outlook/made_pool.hpp"

#include "tests/unit/server/outlook/a_cluster.hpp"

#include <gmock/gmock.h>

namespace tpuwh::server::outlook {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

MadePool made(const test::PodBuilder& pod, std::uint32_t slices = 1) {
  const WantedSlice slice = a_slice({}, pod);
  return made_pool(Member(slice, "tpu-webhook.dev/"), slices);
}

TEST(MadePool, of_the_shape_holds_pods_that_select_the_shape) {
  const MadePool pool = made(a_member());
  ASSERT_TRUE(pool.pool);
  EXPECT_EQ(pool.why_not, "");
  const auto node = made_node(*pool.pool, pool.options);
  EXPECT_EQ(node.chips, 4u);
  EXPECT_EQ(node.labels.value("cloud.google.com/gke-tpu-topology"), "4x4");
  EXPECT_EQ(node.labels.value("node.kubernetes.io/instance-type"), "ct6e-standard-4t");
  EXPECT_EQ(node.labels.value("cloud.google.com/gke-accelerator-count"), "4");
}

TEST(MadePool, has_the_labels_that_pods_select_of_their_own) {
  EXPECT_THAT(made(a_member().selector("team", "a")).options.node_labels,
              ElementsAre(Pair("team", "a")));
  EXPECT_THAT(made(a_member().selector("example.com/team", "a")).options.node_labels,
              ElementsAre(Pair("example.com/team", "a")));
  const MadePool zone = made(a_member().selector("topology.kubernetes.io/zone", "us-east5-b"));
  EXPECT_EQ(zone.why_not, "");
  EXPECT_TRUE(zone.options.node_labels.empty());
}

TEST(MadePool, has_the_name_that_pods_select_where_it_is_one_slice) {
  const auto pod = a_member().selector("cloud.google.com/gke-nodepool", "mine");
  EXPECT_EQ(made(pod).options.name, "mine");
  EXPECT_EQ(made(pod, 2).why_not, "the Pods select node pool mine, which is one slice");
}

TEST(MadePool, is_none_where_no_node_of_it_could_hold_them) {
  struct {
    const char *key, *value, *why;
  } cases[] = {
      {"cloud.google.com/gke-accelerator-count", "8",
       "its nodes would have cloud.google.com/gke-accelerator-count=4, and the Pods select 8"},
      {"cloud.google.com/compute-class", "other", "nodes of ComputeClass other are made by GKE"},
      {"cloud.google.com/gke-gpu", "true", "no node of such a pool has cloud.google.com/gke-gpu"},
      {"a b", "c", "a b is not a node label"},
      {"a", "$(rm)", "a is not a node label"},
  };
  for (const auto& [key, value, why] : cases)
    EXPECT_THAT(made(a_member().selector(key, value)).why_not, HasSubstr(why)) << key;
}

TEST(MadePool, matches_required_node_affinity_too) {
  const auto with = [](const char* op, const char* value) {
    nlohmann::json wanted{{"key", "cloud.google.com/gke-spot"}, {"operator", op}};
    if (*value != '\0') wanted["values"] = std::vector<std::string>{value};
    const nlohmann::json term{{"matchExpressions", std::vector<nlohmann::json>{wanted}}};
    return a_member().set(
        "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution",
        {{"nodeSelectorTerms", std::vector<nlohmann::json>{term}}});
  };
  EXPECT_EQ(made(with("DoesNotExist", "")).why_not, "");
  EXPECT_THAT(made(with("In", "false")).why_not, HasSubstr("required node affinity"));
}

TEST(MadePool, of_a_reservation_has_its_name) {
  const MadePool pool = made(a_member().selector("cloud.google.com/reservation-name", "res-1"));
  EXPECT_EQ(pool.why_not, "");
  EXPECT_EQ(pool.options.reservation, "res-1");
}

}  // namespace
}  // namespace tpuwh::server::outlook
