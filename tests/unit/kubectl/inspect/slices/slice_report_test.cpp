#include "kubectl/inspect/slices/slice_report.hpp"

#include "tests/support/named_case.hpp"
#include "tests/unit/kubectl/inspect/slices/a_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>

namespace tpuwh::server::slices {
namespace {

using test::case_name;
using test::PrintTo;

struct PhaseCase {
  const char* name;
  std::function<void(Cluster&)> change;  // of slice 0
  Phase want;
};

class PhaseTest : public testing::TestWithParam<PhaseCase> {};

TEST_P(PhaseTest, of_slice_0) {
  Cluster cluster = a_cluster();
  GetParam().change(cluster);
  const auto slices = report_slices(cluster);
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0].phase, GetParam().want);
  EXPECT_EQ(slices[1].phase, Phase::running);
}

const Time time_of_test(std::chrono::hours(24 * 365 * 56));

// Pod 2 failed before `age`; a Job makes another.
void fail(Cluster& cluster, std::chrono::seconds age) {
  cluster.now = time_of_test;
  cluster.pods[2].life = Life::failed;
  cluster.pods[2].failed = time_of_test - age;
  cluster.pods[2].owners = {{"Job", "ml", "train-w-0"}};
}

// The node of Pod 2, which tolerates it for five minutes, as most do.
void not_ready(Cluster& cluster, std::chrono::seconds age) {
  cluster.now = time_of_test;
  cluster.nodes["node-0-2"].ready = false;
  cluster.not_ready_since["node-0-2"] = time_of_test - age;
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"})
    cluster.pods[2].tolerations.push_back(
        {key, "Exists", "", "NoExecute", std::chrono::seconds(300)});
}

const PhaseCase phases[] = {
    {"all_run", [](Cluster&) {}, Phase::running},
    {"one_is_pending", [](Cluster& c) { c.pods[2].life = Life::pending; }, Phase::forming},
    {"one_is_missing", [](Cluster& c) { c.pods.erase(c.pods.begin() + 2); }, Phase::forming},
    {"one_succeeded", [](Cluster& c) { c.pods[2].life = Life::succeeded; }, Phase::running},
    {"one_failed", [](Cluster& c) { c.pods[2].life = Life::failed; }, Phase::broken},
    {"one_failed_and_was_replaced", [](Cluster& c) { add_twin(c, Life::failed, false); },
     Phase::running},
    {"one_is_replaced", [](Cluster& c) { add_twin(c, Life::running, true); }, Phase::running},
    {"one_is_being_deleted", [](Cluster& c) { c.pods[2].terminating = true; }, Phase::forming},
    {"all_are_being_deleted",
     [](Cluster& c) {
       for (std::size_t pod = 0; pod < 4; ++pod) c.pods[pod].terminating = true;
     },
     Phase::forming},
    {"its_last_life_is_being_deleted",
     [](Cluster& c) {
       for (std::size_t host = 0; host < 4; ++host) {
         SeenPod& old = c.pods.emplace_back(a_member(0, static_cast<std::uint32_t>(host)));
         old.name += "-old";
         old.slice_key = "train-0-old";
         old.terminating = true;
       }
     },
     Phase::running},
    {"one_failed_just_now_and_somebody_makes_another",
     [](Cluster& c) { fail(c, std::chrono::minutes(14)); }, Phase::forming},
    {"one_failed_long_ago", [](Cluster& c) { fail(c, std::chrono::minutes(16)); }, Phase::broken},
    {"one_failed_that_nobody_made",
     [](Cluster& c) {
       fail(c, std::chrono::minutes(1));
       c.pods[2].owners.clear();
     },
     Phase::broken},
    {"a_node_is_gone", [](Cluster& c) { c.nodes.erase("node-0-2"); }, Phase::broken},
    {"a_node_is_not_ready_yet", [](Cluster& c) { not_ready(c, std::chrono::seconds(299)); },
     Phase::forming},
    {"a_node_is_not_ready_any_more", [](Cluster& c) { not_ready(c, std::chrono::seconds(300)); },
     Phase::broken},
    {"nobody_says_since_when_a_node_is_not_ready",
     [](Cluster& c) { c.nodes["node-0-2"].ready = false; }, Phase::forming},
    {"a_pod_that_stays_whatever_its_node_does",
     [](Cluster& c) {
       not_ready(c, std::chrono::hours(1));
       c.pods[2].tolerations = {{"", "Exists", "", ""}};
     },
     Phase::forming},
    {"a_container_is_started_again", [](Cluster& c) { c.pods[2].processes[0].waits = true; },
     Phase::forming},
    {"a_container_has_failed", [](Cluster& c) { c.pods[2].processes[0].exit_code = 1; },
     Phase::broken},
    {"a_container_that_is_being_stopped_has_failed",
     [](Cluster& c) {
       c.pods[2].processes[0].exit_code = 143;
       c.pods[2].terminating = true;
     },
     Phase::forming},
    {"a_container_has_ended_well", [](Cluster& c) { c.pods[2].processes[0].exit_code = 0; },
     Phase::running},
    {"all_containers_have_ended_well",
     [](Cluster& c) {
       for (std::size_t pod = 0; pod < 4; ++pod) c.pods[pod].processes[0].exit_code = 0;
     },
     Phase::ended},
    {"one_twice", [](Cluster& c) { add_twin(c, Life::running, false); }, Phase::broken},
    {"an_id_twice",
     [](Cluster& c) { env(c, 2, webhook::read::Variable::tpu_worker_id) = literal("1"); },
     Phase::broken},
    {"one_is_nobody", [](Cluster& c) { c.pods[2].host.reset(); }, Phase::broken},
    {"all_ended",
     [](Cluster& c) {
       for (std::size_t pod = 0; pod < 4; ++pod) c.pods[pod].life = Life::succeeded;
     },
     Phase::ended},
};
INSTANTIATE_TEST_SUITE_P(Slices, PhaseTest, testing::ValuesIn(phases), case_name);

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
