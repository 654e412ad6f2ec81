#include "webhook/pools/fit.hpp"
#include "webhook/reasons/node_trouble.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::webhook::pools {
namespace {

struct Toleration {
  read::Toleration toleration;
  bool schedule, execute;  // whether it tolerates team=blue with this effect
};

TEST(AToleration, is_read_as_kubernetes_reads_it) {
  const Taint schedule{"team", "blue", false}, execute{"team", "blue", true};
  const std::vector<Toleration> all = {
      {{"team", "Equal", "blue", ""}, true, true},
      {{"team", "", "blue", ""}, true, true},
      {{"team", "Equal", "blue", "NoSchedule"}, true, false},
      {{"team", "Exists", "", "NoExecute"}, false, true},
      {{"", "Exists", "", ""}, true, true},
      {{"team", "Equal", "red", ""}, false, false},
      {{"other", "Exists", "", ""}, false, false},
      {{"team", "Equal", "blue", "PreferNoSchedule"}, false, false},
      {{"team", "Likes", "blue", ""}, false, false},
  };
  for (const auto& [toleration, of_schedule, of_execute] : all) {
    const std::array one{toleration};
    EXPECT_EQ(tolerates(one, schedule), of_schedule) << toleration.key << toleration.op;
    EXPECT_EQ(tolerates(one, execute), of_execute) << toleration.key << toleration.op;
  }
}

TEST(AToleration, is_not_needed_for_the_taint_of_tpu_nodes) {
  EXPECT_TRUE(tolerates({}, {"google.com/tpu", "present", false}));
  EXPECT_FALSE(tolerates({}, {"team", "blue", false}));
}

// A Pod with required node affinity, made by hand.
struct Affine {
  read::Pod pod;
  void term() {
    read::NodeTerm made;
    made.begin = made.end = static_cast<std::uint32_t>(pod.requirements.size());
    pod.node_affinity.present = pod.node_affinity.required = pod.node_affinity.terms =
        read::Presence::present;
    pod.node_terms.push_back(made);
    ++pod.node_affinity.end;
  }
  void say(std::string_view key, std::string_view op, std::vector<std::string_view> values = {}) {
    read::Requirement made{key, op, static_cast<std::uint32_t>(pod.values.size()), 0};
    for (const std::string_view value : values) pod.values.push_back(value);
    made.values_end = static_cast<std::uint32_t>(pod.values.size());
    pod.requirements.push_back(made);
    pod.node_terms.back().empty = false;
    ++pod.node_terms.back().end;
  }
};

Labels labels() {
  Labels made;
  made.add("zone", "b");
  made.add("size", "16");
  made.add("empty", "");
  return made;
}

struct Said {
  std::string_view key, op;
  std::vector<std::string_view> values;
  bool matches;
};

TEST(ARequirement, matches_as_the_scheduler_says) {
  const std::string with_zeros = std::string(251, '0') + "15", with_more = '0' + with_zeros;
  const std::vector<Said> all = {
      {"zone", "In", {"a", "b"}, true},    {"zone", "In", {"a"}, false},
      {"none", "In", {"a"}, false},        {"zone", "NotIn", {"a"}, true},
      {"zone", "NotIn", {"b"}, false},     {"none", "NotIn", {"b"}, true},
      {"zone", "Exists", {}, true},        {"empty", "Exists", {}, true},
      {"none", "Exists", {}, false},       {"none", "DoesNotExist", {}, true},
      {"zone", "DoesNotExist", {}, false}, {"size", "Gt", {"15"}, true},
      {"size", "Gt", {"16"}, false},       {"size", "Lt", {"17"}, true},
      {"size", "Lt", {"16"}, false},       {"zone", "Gt", {"1"}, false},
      {"none", "Lt", {"1"}, false},        {"size", "Gt", {}, false},
      {"zone", "Likes", {"b"}, false},     {"size", "Gt", {with_zeros}, true},
      {"size", "Gt", {with_more}, false},
  };
  for (const Said& said : all) {
    Affine one;
    one.term();
    one.say(said.key, said.op, said.values);
    EXPECT_EQ(selects(one.pod, labels()), said.matches) << said.key << ' ' << said.op;
  }
}

TEST(ANodeSelector, and_one_term_of_the_affinity_have_to_match) {
  Affine one;
  one.term();
  one.say("zone", "In", {"c"});
  one.term();
  one.say("zone", "In", {"b"});
  one.say("size", "Exists");
  EXPECT_TRUE(selects(one.pod, labels()));
  one.pod.node_selector = {{"size", "16"}};
  EXPECT_TRUE(selects(one.pod, labels()));
  one.pod.node_selector = {{"size", "32"}};
  EXPECT_FALSE(selects(one.pod, labels()));
  Affine empty;
  empty.term();  // matches no node
  EXPECT_FALSE(selects(empty.pod, labels()));
}

TEST(Labels, are_found_by_their_whole_key) {
  const Labels all = labels();
  EXPECT_EQ(all.find("zone"), "b");
  EXPECT_EQ(all.find("empty"), "");
  EXPECT_EQ(all.find("b"), std::nullopt);
  EXPECT_EQ(all.find("zon"), std::nullopt);
  EXPECT_EQ(all.value("none"), "");
  Labels odd;
  odd.add(std::string_view("a\0b", 3), "c");
  EXPECT_TRUE(odd.empty());
}

TEST(ANode, is_unusable_for_one_reason) {
  read::Pod pod;
  const read::PoolQuestion question{.pod = pod,
                                    .accelerator = {},
                                    .topology = {},
                                    .hosts = 4,
                                    .chips_per_host = 4,
                                    .slice_key = {}};
  Node node{.name = "n", .chips = 4};
  EXPECT_EQ(unusable(node, question), Unusable::no);
  EXPECT_EQ(reasons::trouble_of(node, question), "");
  node.chips = 3;
  EXPECT_EQ(unusable(node, question), Unusable::few_chips);
  EXPECT_EQ(reasons::trouble_of(node, question), "node n has 3 chips, a Pod needs 4");
  node.taints = {{"team", "blue"}};
  EXPECT_EQ(unusable(node, question), Unusable::tainted);
  EXPECT_EQ(reasons::trouble_of(node, question),
            "node n has taint team, which the Pods do not tolerate");
  node.taints = {{"ToBeDeletedByClusterAutoscaler", "1"}};
  EXPECT_EQ(unusable(node, question), Unusable::to_be_deleted);
  node.taints = {{"node.kubernetes.io/unschedulable", ""}};
  EXPECT_EQ(unusable(node, question), Unusable::cordoned);
  node.unschedulable = true;
  EXPECT_EQ(unusable(node, question), Unusable::cordoned);
  pod.tolerations = {{"node.kubernetes.io/unschedulable", "Exists", "", ""}};
  EXPECT_EQ(unusable(node, question), Unusable::few_chips);
  node.ready = false;
  EXPECT_EQ(unusable(node, question), Unusable::not_ready);
}

TEST(Criteria, are_what_is_held_against_a_node) {
  Affine affine;
  EXPECT_EQ(criteria_of(affine.pod), 0u);
  affine.pod.tolerations.resize(2);
  affine.pod.node_selector.resize(3);
  EXPECT_EQ(criteria_of(affine.pod), 5u);
  affine.term();
  EXPECT_EQ(criteria_of(affine.pod), 6u);
  affine.say("zone", "In", {"a", "b"});
  affine.say("spot", "Exists");
  EXPECT_EQ(criteria_of(affine.pod), 10u);
  affine.term();
  affine.say("zone", "In", {"c"});
  EXPECT_EQ(criteria_of(affine.pod), 13u);
}

TEST(Selection, by_shape_is_by_accelerator_and_topology_alone) {
  Affine affine;
  EXPECT_TRUE(selects_by_shape(affine.pod));
  affine.pod.node_selector = {{read::key::accelerator, "tpu7x"}, {read::key::topology, "2x2x2"}};
  EXPECT_TRUE(selects_by_shape(affine.pod));
  affine.pod.node_selector.push_back({"zone", "a"});
  EXPECT_FALSE(selects_by_shape(affine.pod));
  affine.pod.node_selector.clear();
  affine.term();
  EXPECT_FALSE(selects_by_shape(affine.pod));
}

}  // namespace
}  // namespace tpuwh::webhook::pools
