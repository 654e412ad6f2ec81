// Which node pool is printed for Pods, and why none is.
#include "kubectl/predict/outlook/made_pool.hpp"

#include "tests/unit/kubectl/predict/outlook/a_cluster.hpp"

#include <gmock/gmock.h>

namespace tpuwh::server::outlook {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

MadePool made(const test::PodBuilder& pod, std::uint32_t slices = 1) {
  const WantedSlice slice = a_slice({}, pod);
  return made_pool(Member(slice, "tpu-webhook.dev/"), {.slices = slices});
}

// Of slices of one host.
MadePool of_single_hosts(const test::PodBuilder& pod, const Wanted& wanted) {
  const WantedSlice slice = a_single_host({}, pod);
  return made_pool(Member(slice, "tpu-webhook.dev/"), wanted);
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

TEST(MadePool, of_single_hosts_is_one_with_the_name_that_pods_select) {
  const auto pod = a_member().topology("2x2").selector("cloud.google.com/gke-nodepool", "mine");
  const MadePool pool = of_single_hosts(pod, {.slices = 2});
  EXPECT_EQ(pool.why_not, "");
  EXPECT_EQ(pool.options.name, "mine");
  ASSERT_TRUE(pool.pool);
  EXPECT_EQ(catalog::nodes_of_pool(*pool.pool, pool.options), 2u);
}

TEST(MadePool, of_single_hosts_is_one_for_each_job_where_jobset_keeps_them_apart) {
  const MadePool pool = of_single_hosts(a_member().topology("2x2"), {.slices = 4, .each_pool = 2});
  ASSERT_TRUE(pool.pool);
  EXPECT_EQ(catalog::pool_count(*pool.pool, pool.options), 2u);
  EXPECT_EQ(catalog::nodes_of_pool(*pool.pool, pool.options), 2u);
  const auto pinned = a_member().topology("2x2").selector("cloud.google.com/gke-nodepool", "mine");
  EXPECT_EQ(of_single_hosts(pinned, {.slices = 2, .each_pool = 1}).why_not,
            "the Pods select node pool mine, which JobSet gives to one Job only");
}

TEST(MadePool, has_the_networks_that_pods_claim) {
  const WantedSlice slice = a_slice();
  const MadePool pool = made_pool(Member(slice, "tpu-webhook.dev/"), {.networks = true});
  EXPECT_EQ(pool.why_not, "");
  EXPECT_TRUE(pool.options.dranet);
}

// GKE's device plugin would have the chips.
TEST(MadePool, leaves_the_chips_that_pods_claim_to_their_driver) {
  using Labels = std::vector<std::pair<std::string, std::string>>;
  WantedSlice slice = a_slice();
  EXPECT_EQ(made_pool(Member(slice, "tpu-webhook.dev/"), {}).options.node_labels, Labels{});
  slice.by_claim = true;
  EXPECT_EQ(made_pool(Member(slice, "tpu-webhook.dev/"), {}).options.node_labels,
            (Labels{{"cloud.google.com/gke-tpu-dra-driver", "true"}}));
}

TEST(MadePool, is_none_where_no_node_of_it_could_hold_them) {
  struct {
    const char *key, *value, *why;
  } cases[] = {
      {"cloud.google.com/gke-accelerator-count", "8",
       "its nodes would have cloud.google.com/gke-accelerator-count=4, and the Pods select 8"},
      {"cloud.google.com/compute-class", "other", "nodes of ComputeClass other are made by GKE"},
      {"cloud.google.com/gke-gpu", "true",
       "whether a node of such a pool has cloud.google.com/gke-gpu=true"},
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

TEST(MadePool, has_the_reservation_and_the_metadata_server_that_pods_select) {
  const MadePool pool = made(a_member()
                                 .selector("cloud.google.com/reservation-name", "res-1")
                                 .selector("iam.gke.io/gke-metadata-server-enabled", "true"));
  EXPECT_EQ(pool.why_not, "");
  EXPECT_EQ(pool.options.reservation, "res-1");
  EXPECT_TRUE(pool.options.metadata_server);
}

}  // namespace
}  // namespace tpuwh::server::outlook
