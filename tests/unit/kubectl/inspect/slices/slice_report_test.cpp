#include "kubectl/inspect/slices/slice_report.hpp"

#include "tests/unit/kubectl/inspect/slices/a_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace tpuwh::server::slices {
namespace {

using namespace std::chrono_literals;
using enum Phase;

// The node of Pod 2, which tolerates it for five minutes, as most do.
void not_ready(Cluster& cluster, std::chrono::seconds age) {
  cluster.now = time_of_test;
  cluster.nodes["node-0-2"].ready = false;
  cluster.not_ready_since["node-0-2"] = time_of_test - age;
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"})
    cluster.pods[2].tolerations.push_back({key, "Exists", "", "NoExecute", 300s});
}

TEST(PhaseTest, of_slice_0) {
  const struct {
    const char* name;
    Phase want;
    std::function<void(Cluster&)> change;  // of slice 0
  } cases[] = {
      {"all_run", running, [](Cluster&) {}},
      {"one_is_pending", forming, [](Cluster& c) { c.pods[2].life = Life::pending; }},
      {"one_is_missing", forming, [](Cluster& c) { c.pods.erase(c.pods.begin() + 2); }},
      {"one_succeeded", running, [](Cluster& c) { c.pods[2].life = Life::succeeded; }},
      {"one_failed", broken, [](Cluster& c) { c.pods[2].life = Life::failed; }},
      {"one_failed_and_was_replaced", running,
       [](Cluster& c) { add_twin(c, Life::failed, false); }},
      {"one_is_replaced", running, [](Cluster& c) { add_twin(c, Life::running, true); }},
      {"one_is_being_deleted", forming, [](Cluster& c) { c.pods[2].terminating = true; }},
      {"all_are_being_deleted", forming,
       [](Cluster& c) {
         for (std::size_t pod = 0; pod < 4; ++pod) c.pods[pod].terminating = true;
       }},
      {"its_last_life_is_being_deleted", running, add_last_life},
      {"one_failed_just_now_and_somebody_makes_another", forming,
       [](Cluster& c) { fail(c, 14min); }},
      {"one_failed_long_ago", broken, [](Cluster& c) { fail(c, 16min); }},
      {"one_failed_that_nobody_made", broken,
       [](Cluster& c) {
         fail(c, 1min);
         c.pods[2].owners.clear();
       }},
      {"a_node_is_gone", broken, [](Cluster& c) { c.nodes.erase("node-0-2"); }},
      {"a_node_is_not_ready_yet", forming, [](Cluster& c) { not_ready(c, 299s); }},
      {"a_node_is_not_ready_any_more", broken, [](Cluster& c) { not_ready(c, 300s); }},
      {"nobody_says_since_when_a_node_is_not_ready", forming,
       [](Cluster& c) { c.nodes["node-0-2"].ready = false; }},
      {"a_pod_that_stays_whatever_its_node_does", forming,
       [](Cluster& c) {
         not_ready(c, 1h);
         c.pods[2].tolerations = {{"", "Exists", "", ""}};
       }},
      {"a_container_is_started_again", forming,
       [](Cluster& c) { c.pods[2].processes[0].waits = true; }},
      {"a_container_has_failed", broken, [](Cluster& c) { c.pods[2].processes[0].exit_code = 1; }},
      {"a_container_that_is_being_stopped_has_failed", forming,
       [](Cluster& c) {
         c.pods[2].processes[0].exit_code = 143;
         c.pods[2].terminating = true;
       }},
      {"a_container_has_ended_well", running,
       [](Cluster& c) { c.pods[2].processes[0].exit_code = 0; }},
      {"all_containers_have_ended_well", ended,
       [](Cluster& c) {
         for (std::size_t pod = 0; pod < 4; ++pod) c.pods[pod].processes[0].exit_code = 0;
       }},
      {"one_twice", broken, [](Cluster& c) { add_twin(c, Life::running, false); }},
      {"an_id_twice", broken,
       [](Cluster& c) { env(c, 2, Variable::tpu_worker_id) = literal("1"); }},
      {"one_is_nobody", broken, [](Cluster& c) { c.pods[2].host.reset(); }},
      {"all_ended", ended,
       [](Cluster& c) {
         for (std::size_t pod = 0; pod < 4; ++pod) c.pods[pod].life = Life::succeeded;
       }},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.name);
    Cluster cluster = a_cluster();
    each.change(cluster);
    const auto slices = report_slices(cluster);
    ASSERT_EQ(slices.size(), 2u);
    EXPECT_EQ(slices[0].phase, each.want);
    EXPECT_EQ(slices[1].phase, Phase::running);
  }
}

// Pods of a slice of four, of which `staying` stay and the rest are being deleted; nothing says
// which host any of them is.
SliceReport of_nobody(std::size_t staying, std::size_t leaving) {
  static Cluster cluster;
  cluster = a_cluster();
  cluster.pods.resize(4);
  for (std::size_t i = 4; i < staying + leaving; ++i) {
    cluster.pods.push_back(cluster.pods[i % 4]);
    cluster.pods.back().name += std::to_string(i);
  }
  cluster.pods.resize(staying + leaving);
  for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
    cluster.pods[i].host.reset();
    cluster.pods[i].terminating = i >= staying;
  }
  return report_slices(cluster).at(0);
}

TEST(SliceReport, deals_places_to_pods_of_which_nobody_says_where_they_belong) {
  EXPECT_EQ(of_nobody(4, 4).members.size(), 4u);
  EXPECT_EQ(of_nobody(4, 4).leaving.size(), 4u);
  EXPECT_EQ(of_nobody(3, 4).members.size(), 4u);
  EXPECT_EQ(of_nobody(3, 4).staying.size(), 3u);
  EXPECT_EQ(of_nobody(5, 1).members.size(), 5u);  // one too many is one too many
  EXPECT_EQ(of_nobody(0, 4).members.size(), 4u);
}

TEST(SliceReport, says_who_is_there) {
  Cluster cluster = a_cluster();
  add_twin(cluster, Life::running, false);
  cluster.pods.erase(cluster.pods.begin() + 1);
  cluster.nodes["node-0-3"].labels = labels_of_pool("other");
  const auto slices = report_slices(cluster);
  EXPECT_EQ(slices[0].full_name(), "JobSet ml/train/w, slice 0 of 2");
  EXPECT_THAT(slices[0].missing, testing::ElementsAre(1));
  EXPECT_THAT(slices[0].duplicates, testing::ElementsAre(2));
  EXPECT_THAT(slices[0].duplicate_ids, testing::ElementsAre(2));
  EXPECT_THAT(slices[0].pools, testing::ElementsAre("other", "pool-0"));
  EXPECT_EQ(slices[0].hosts_present(), 3u);
}

}  // namespace
}  // namespace tpuwh::server::slices
