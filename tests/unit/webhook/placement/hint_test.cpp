// The preference away from node pools that cannot hold a slice whole (docs/decisions/0023).
#include "webhook/placement/hint.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/admitted.hpp"
#include "tests/unit/webhook/placement/a_job.hpp"

namespace tpuwh::webhook::placement {
namespace {

using namespace test;

// A cluster that has these unfit pools for everybody, and remembers what it was asked.
class Unfit final : public read::ClusterView {
 public:
  explicit Unfit(std::vector<std::string> names) : names_(std::move(names)) {}
  void unfit_pools(const read::PoolQuestion& question, base::NameList& out) const override {
    asked.push_back({std::string(question.accelerator), std::string(question.topology),
                     question.hosts, question.chips_per_host, std::string(question.slice_key),
                     question.priority});
    out.clear();
    for (const std::string& name : names_) out.add(name);
  }
  struct Asked {
    std::string accelerator, topology;
    std::uint32_t hosts, chips;
    std::string key;
    std::int32_t priority;
    bool operator==(const Asked&) const = default;
  };
  mutable std::vector<Asked> asked;

 private:
  std::vector<std::string> names_;
};

const Unfit two({"broken-1", "broken-2"});

TEST(UnfitPools, of_a_cluster_that_is_not_known_are_none) {
  base::NameList names;
  names.add("of another question");
  const read::Pod pod;
  read::NoCluster().unfit_pools({.pod = pod, .accelerator = "a", .topology = "t", .slice_key = ""},
                                names);
  EXPECT_TRUE(names.empty());
}

Admitted admit_beside(const PodBuilder& pod, const read::ClusterView& cluster = two,
                      const config::Config& config = {}) {
  return admit(pod, {.config = config, .cluster = &cluster});
}

json node_preferences(const Admitted& answer) {
  return answer.object.value(json::json_pointer("/spec/affinity/nodeAffinity/" + preferred),
                             json::array());
}

const json hint = {
    {"weight", 100},
    {"preference",
     {{"matchExpressions",
       json::array(
           {{{"key", pool}, {"operator", "NotIn"}, {"values", {"broken-1", "broken-2"}}}})}}}};

TEST(PlacementHint, prefers_other_pools) {
  EXPECT_EQ(node_preferences(admit_beside(job())), json::array({hint}));
  EXPECT_EQ(node_preferences(admit_beside(job(), Unfit({}))), json::array());
  EXPECT_EQ(node_preferences(admit(job())), json::array());
}

// The line of the log and the metric count what was written, and nothing of what is left alone.
TEST(PlacementHint, is_counted_where_it_is_written) {
  answer::Workspace workspace;
  config::Config off;
  off.placement = false;
  const auto pools = [&](const PodBuilder& pod, const config::Config& config = {}) {
    std::string text = pod.review();
    return answer::admit(read::Body(text), config, two, workspace).summary.unfit_pools;
  };
  EXPECT_EQ(pools(job()), 2u);
  EXPECT_EQ(pools(job().ours("inject", "false")), 0u);
  EXPECT_EQ(pools(job().set("/spec/hostname", "another")), 0u);
  EXPECT_EQ(pools(job()), 2u);
  EXPECT_EQ(pools(job(), off), 0u);
}

TEST(PlacementHint, asks_with_the_numbers_of_the_slice) {
  const Unfit cluster({});
  const Admitted answer = admit_beside(job().set("/spec/priority", -7), cluster);
  ASSERT_EQ(cluster.asked.size(), 1u);
  EXPECT_EQ(cluster.asked[0], (Unfit::Asked{"tpu-v6e-slice", "4x4", 4, 4,
                                            label(answer, "tpu-webhook.dev/slice-key"), -7}));
}

// Whatever the Pod has already of affinity, it keeps.
TEST(PlacementHint, stands_behind_what_the_user_prefers) {
  const json theirs = {
      {"weight", 50},
      {"preference",
       {{"matchExpressions",
         json::array({{{"key", "zone"}, {"operator", "In"}, {"values", {"a"}}}})}}}};
  const std::string at = "/spec/affinity/nodeAffinity";
  EXPECT_EQ(node_preferences(admit_beside(job().set(at, {{preferred, {theirs}}}))),
            json::array({theirs, hint}));
  for (const json& empty : {json::object({{preferred, nullptr}}), json::object(), json(nullptr),
                            json::object({{preferred, json::array()}})})
    EXPECT_EQ(node_preferences(admit_beside(job().set(at, empty))), json::array({hint}))
        << empty.dump();
  EXPECT_EQ(node_preferences(admit_beside(job().set("/spec/affinity", json::object()))),
            json::array({hint}));
}

TEST(PlacementHint, is_given_once) {
  Admitted first = admit_beside(job());
  for (const Unfit& later : {Unfit({"broken-1", "broken-2"}), Unfit({"another"}), Unfit({})}) {
    const Admitted again = admit_pod(first.object, {.cluster = &later});
    EXPECT_EQ(again.patch, json::array()) << again.patch.dump();
  }
  // Nor later, where there was none.
  first = admit_beside(job(), Unfit({}));
  EXPECT_EQ(admit_pod(first.object, {.cluster = &two}).patch, json::array());
}

struct Untold {
  std::string_view name;
  PodBuilder pod;
};

TEST(PlacementHint, is_not_given_where_something_else_chooses_the_pool) {
  const char* const exclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology";
  const auto jobset = [](std::uint32_t host) {
    return a_pod().jobset("s", "r", 1, 0, host).on("4x4", 4);
  };
  const std::vector<Untold> all = {
      {"one host", a_pod().job("t", 0).on("2x2", 4)},
      {"pinned", job().selector(pool, "p")},
      {"another domain", job().ours("exclusive-topology", "example.com/rack")},
      {"no terms", job().ours("exclusive-topology", "none")},
      {"Kueue's queue", job().label("kueue.x-k8s.io/queue-name", "q")},
      {"Kueue TAS", job().annotation("kueue.x-k8s.io/podset-required-topology", "rack")},
      {"a follower", jobset(1).annotation(exclusive, pool)},
      {"left alone", job().ours("inject", "false")},
      {"no nodes selected",
       job().remove("/spec/nodeSelector").annotation("cloud.google.com/gke-tpu-topology", "4x4")},
  };
  for (const Untold& who : all) {
    const Unfit cluster({"broken-1"});
    EXPECT_EQ(node_preferences(admit_beside(who.pod, cluster)), json::array()) << who.name;
    EXPECT_TRUE(cluster.asked.empty()) << who.name;
  }
  EXPECT_EQ(node_preferences(admit_beside(jobset(0).annotation(exclusive, pool))),
            json::array({hint}));
}

// A group of the scheduler keeps nothing on one pool by itself.
TEST(PlacementHint, is_given_to_a_scheduling_group_with_a_warning) {
  const auto answer = admit_beside(job().set("/spec/schedulingGroup", {{"name", "g"}}));
  EXPECT_EQ(node_preferences(answer), json::array({hint}));
  EXPECT_TRUE(has(answer.warnings, "TPU-603"));
}

TEST(PlacementHint, can_be_switched_off) {
  config::Config config;
  config.placement_hint = false;
  EXPECT_EQ(node_preferences(admit_beside(job(), two, config)), json::array());
  config.of(config::WorkloadKind::job).placement_hint = true;
  EXPECT_EQ(node_preferences(admit_beside(job(), two, config)), json::array({hint}));
  config.per_namespace["ns"].placement_hint = false;
  config.per_namespace["team"].placement_hint = false;
  config.per_namespace["default"].placement_hint = false;
  json review = job().review_json();
  review["request"]["namespace"] = "team";
  EXPECT_EQ(node_preferences(admit(review.dump(), {.config = config, .cluster = &two})),
            json::array());
  config = {};
  config.placement = false;
  EXPECT_EQ(node_preferences(admit_beside(job(), two, config)), json::array());
}

// Members of a slice share the text of their affinity: with another hint it is another text.
TEST(PlacementHint, belongs_to_the_text_that_members_share) {
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(node_preferences(admit_beside(job(), Unfit({}))), json::array());
    EXPECT_EQ(node_preferences(admit_beside(job())), json::array({hint}));
    EXPECT_EQ(node_preferences(admit_beside(
                  job(), Unfit({"other"})))[0]["preference"]["matchExpressions"][0]["values"],
              json::array({"other"}));
  }
}

}  // namespace
}  // namespace tpuwh::webhook::placement
