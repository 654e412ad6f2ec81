#include "server/tools/inspect/slices/slice_report.hpp"

#include "server/tools/inspect/slices/print_slices.hpp"
#include "server/tools/print/ranges.hpp"
#include "tests/support/named_case.hpp"
#include "tests/unit/server/tools/inspect/slices/a_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>

namespace tpuwh::server::slices {
namespace {

using test::case_name;
using test::PrintTo;
using testing::HasSubstr;

TEST(Ranges, are_short) {
  const auto text = [](std::vector<std::uint32_t> numbers) { return print::as_ranges(numbers); };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({3}), "3");
  EXPECT_EQ(text({0, 1, 2, 3}), "0-3");
  EXPECT_EQ(text({3, 5, 6, 7, 9}), "3,5-7,9");
}

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

void add(Cluster& cluster, Life life, bool terminating) {
  SeenPod pod = a_member(0, 2);
  pod.name += "-2";
  pod.life = life;
  pod.terminating = terminating;
  cluster.pods.push_back(pod);
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
    {"one_failed_and_was_replaced", [](Cluster& c) { add(c, Life::failed, false); },
     Phase::running},
    {"one_is_replaced", [](Cluster& c) { add(c, Life::running, true); }, Phase::running},
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
    {"one_twice", [](Cluster& c) { add(c, Life::running, false); }, Phase::broken},
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
  add(cluster, Life::running, false);
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

// The row of slice 0.
std::string row(const Cluster& cluster) {
  const std::string text = slices_text(cluster, report_slices(cluster), false).text();
  const auto begin = text.find('\n') + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(SlicesText, is_a_row_for_each) {
  Cluster cluster = a_cluster();
  EXPECT_EQ(row(cluster),
            "  ml         JobSet/train/w  0 of 2  tpu-v6e-slice  4x4       4 of 4   0-3         "
            "pool-0  running");
  cluster.pods[3].node = "";
  add(cluster, Life::running, false);
  cluster.pods.erase(cluster.pods.begin() + 1);
  EXPECT_THAT(row(cluster),
              HasSubstr("4 of 4, missing 1, duplicate 2  0,2-3, duplicate 2  pool-0"));
  cluster.nodes.clear();
  EXPECT_THAT(row(cluster), HasSubstr("not known  broken"));
  EXPECT_THAT(slices_text(cluster, report_slices(cluster), false).text(),
              HasSubstr("\nnot known: node pools, because"));
  EXPECT_EQ(slices_text({}, {}, false).text(), "no Pod asks for google.com/tpu\n");
}

TEST(SlicesJson, has_stable_names) {
  Cluster cluster = a_cluster();
  cluster.pods.resize(2);
  const auto json = slices_json(cluster, report_slices(cluster));
  EXPECT_EQ(
      json.dump(),
      R"({"slices":[{"namespace":"ml","workload":"JobSet","name":"train","part":"w",)"
      R"("slice":0,"slices":2,"accelerator":"tpu-v6e-slice","topology":"4x4","hosts":4,)"
      R"("phase":"forming","missing":[2,3],"duplicates":[],"workerIds":[0,1],)"
      R"("duplicateWorkerIds":[],"workerIdsKnown":true,"pools":["pool-0"],"poolTroubles":[],"waits":[],"members":[)"
      R"({"pod":"train-w-0-0-x","host":0,"node":"node-0-0","running":true,)"
      R"("terminating":false},{"pod":"train-w-0-1-x","host":1,"node":"node-0-1",)"
      R"("running":true,"terminating":false}]}],"notKnown":[]})");
}

}  // namespace
}  // namespace tpuwh::server::slices
