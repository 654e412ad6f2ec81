#include "webhook/facts/shape.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/named_case.hpp"
#include "tests/support/read_pod.hpp"

namespace tpuwh::webhook::facts {
namespace {

using test::a_pod;
using test::case_name;
using test::json;
using test::PodBuilder;
using test::PrintTo;
using test::ReadPod;

const char* const slice_annotation = "cloud.google.com/gke-tpu-slice-topology";
const char* const topology_key = "cloud.google.com/gke-tpu-topology";

// --- Topology ----------------------------------------------------------------------------

struct Where {
  std::string_view name;
  PodBuilder pod;
  std::string_view topology;
  TopologySource source;
  bool dynamic = false;
};

class FindsTopology : public testing::TestWithParam<Where> {};

TEST_P(FindsTopology, most_specific_first) {
  const ReadPod read(PodBuilder(GetParam().pod).tpu(4));
  ASSERT_TRUE(read.good) << read.in.error().text();
  Shape shape;
  ASSERT_TRUE(read_shape(read.pod, shape));
  EXPECT_EQ(shape.topology, GetParam().topology);
  EXPECT_EQ(shape.source, GetParam().source);
  EXPECT_EQ(shape.dynamic, GetParam().dynamic);
}

json node_terms(const json& list) {
  return {{"nodeAffinity",
           {{"requiredDuringSchedulingIgnoredDuringExecution", {{"nodeSelectorTerms", list}}}}}};
}
json in(const char* key, const json& values) {
  return {
      {"matchExpressions", json::array({{{"key", key}, {"operator", "In"}, {"values", values}}})}};
}
PodBuilder with_affinity(const std::vector<json>& list) {
  return a_pod().set("/spec/affinity", node_terms(list));
}

using enum TopologySource;

INSTANTIATE_TEST_SUITE_P(
    Shape, FindsTopology,
    testing::Values(
        Where{"nowhere", a_pod(), "", TopologySource::none},
        Where{"selector", a_pod().topology("2x4"), "2x4", node_selector},
        Where{"empty_selector", a_pod().topology(""), "", TopologySource::none},
        Where{"null_selector", a_pod().selector(topology_key, nullptr), "", TopologySource::none},
        Where{"affinity", with_affinity({in(topology_key, {"2x4"})}), "2x4", node_affinity},
        Where{"affinity_of_two_values", with_affinity({in(topology_key, {"2x4", "4x4"})}), "",
              TopologySource::none},
        Where{"affinity_of_two_terms",
              with_affinity({in(topology_key, {"2x4"}), in(topology_key, {"4x4"})}), "",
              TopologySource::none},
        Where{"affinity_of_equal_terms",
              with_affinity({in(topology_key, {"2x4"}), in(topology_key, {"2x4"})}), "2x4",
              node_affinity},
        Where{"annotation", a_pod().annotation(topology_key, "2x4"), "2x4",
              TopologySource::annotation},
        Where{"sub_slice", a_pod().annotation(slice_annotation, "2x4"), "2x4", sub_slice_annotation,
              true},
        // Cluster Toolkit repeats the topology of the node pool in every JobSet.
        Where{"whole_pool", a_pod().topology("2x4").annotation(slice_annotation, "2x4"), "2x4",
              sub_slice_annotation},
        Where{"whole_pool_by_affinity",
              with_affinity({in(topology_key, {"2x4"})}).annotation(slice_annotation, "2x4"), "2x4",
              sub_slice_annotation},
        Where{"whole_pool_of_other_values",
              with_affinity({in(topology_key, {"2x4", "4x4"})}).annotation(slice_annotation, "2x4"),
              "2x4", sub_slice_annotation, true},
        Where{"slice_selected",
              a_pod()
                  .topology("2x4")
                  .annotation(slice_annotation, "2x4")
                  .selector("cloud.google.com/gke-tpu-slice", "s"),
              "2x4", sub_slice_annotation, true},
        Where{"slice_placed_by_kueue",
              a_pod()
                  .topology("2x4")
                  .annotation(slice_annotation, "2x4")
                  .annotation("kueue.x-k8s.io/podset-required-topology", "a"),
              "2x4", sub_slice_annotation, true},
        Where{"slice_key", a_pod().selector("cloud.google.com/gke-tpu-slice-2x4-id", "x"), "2x4",
              slice_id_key, true},
        Where{"partition_key", a_pod().selector("cloud.google.com/gke-tpu-partition-2x2x2-id", "x"),
              "2x2x2", slice_id_key, true},
        Where{"partition_state",
              with_affinity({in("cloud.google.com/gke-tpu-partition-2x2x2-state", {"x"})}), "2x2x2",
              slice_id_key, true},
        Where{"look_alike_key", a_pod().selector("cloud.google.com/gke-tpu-slice-2x4-idx", "x"), "",
              TopologySource::none},
        Where{"key_without_a_topology", a_pod().selector("cloud.google.com/gke-tpu-slice--id", "x"),
              "", TopologySource::none},
        Where{"dynamic", a_pod().topology("4x4").selector("cloud.google.com/gke-tpu-slice", "s"),
              "4x4", node_selector, true},
        Where{"dynamic_empty",
              a_pod().topology("4x4").selector("cloud.google.com/gke-tpu-slice", ""), "4x4",
              node_selector},
        // In the order of TopologySource.
        Where{"sub_slice_first",
              with_affinity({in(topology_key, {"8x8"})})
                  .topology("4x4")
                  .annotation(slice_annotation, "2x2")
                  .annotation(topology_key, "1x1"),
              "2x2", sub_slice_annotation, true},
        Where{"selector_second",
              with_affinity({in(topology_key, {"8x8"})})
                  .topology("4x4")
                  .annotation(topology_key, "1x1"),
              "4x4", node_selector},
        Where{"affinity_third",
              with_affinity({in(topology_key, {"8x8"})}).annotation(topology_key, "1x1"), "8x8",
              node_affinity},
        Where{"annotation_fourth",
              a_pod()
                  .annotation(topology_key, "1x1")
                  .selector("cloud.google.com/gke-tpu-slice-2x4-id", "x"),
              "1x1", TopologySource::annotation, true},
        Where{"empty_annotation_is_absent",
              a_pod().topology("4x4").annotation(slice_annotation, ""), "4x4", node_selector}),
    case_name);

// --- Accelerator -----------------------------------------------------------------------------

TEST(ShapeAccelerator, from_selector_else_affinity) {
  const char* const key = "cloud.google.com/gke-tpu-accelerator";
  const auto of = [](PodBuilder pod) {
    const ReadPod read(pod.tpu(4));
    Shape shape;
    read_shape(read.pod, shape);
    return std::string(shape.accelerator);
  };
  EXPECT_EQ(of(a_pod()), "tpu-v6e-slice");
  EXPECT_EQ(of(a_pod().accelerator("")), "");
  EXPECT_EQ(of(with_affinity({in(key, {"tpu7x"})}).accelerator("")), "tpu7x");
  EXPECT_EQ(of(with_affinity({in(key, {"tpu7x"})})), "tpu-v6e-slice");
  EXPECT_EQ(of(with_affinity({in(key, {"tpu7x", "tpu7"})}).accelerator("")), "");
}

// --- Processes --------------------------------------------------------------------------------

struct Chips {
  std::string_view name;
  PodBuilder pod;
  std::string_view processes;  // names, in order
  std::string_view init = "";
  bool equal = true;
};

class FindsProcesses : public testing::TestWithParam<Chips> {};

TEST_P(FindsProcesses, that_hold_chips_together) {
  const ReadPod read(GetParam().pod);
  ASSERT_TRUE(read.good);
  Shape shape;
  const bool any = read_shape(read.pod, shape);
  const auto names = [](const auto& containers) {
    std::string all;
    for (const read::Container* container : containers) all += container->name;
    return all;
  };
  EXPECT_EQ(names(shape.processes), GetParam().processes);
  EXPECT_EQ(names(shape.init), GetParam().init);
  EXPECT_EQ(shape.equal_chips, GetParam().equal);
  EXPECT_EQ(any, !GetParam().processes.empty() || !GetParam().init.empty());
}

// a_pod()'s own container is called "main".
INSTANTIATE_TEST_SUITE_P(
    Shape, FindsProcesses,
    testing::Values(
        Chips{"none", a_pod(), ""}, Chips{"zero", a_pod().tpu(0), ""},
        Chips{"one", a_pod().tpu(4), "main"},
        Chips{"two", a_pod().tpu(2).container("b").tpu("2000m"), "mainb"},
        Chips{"second_only", a_pod().container("b").tpu(4), "b"},
        Chips{"unequal", a_pod().tpu(2).container("b").tpu(1), "mainb", "", false},
        Chips{"sidecar_last", a_pod().tpu(2).sidecar("s").tpu(2).container("b").tpu(2), "mainbs"},
        Chips{"unequal_sidecar", a_pod().tpu(2).sidecar("s").tpu(1), "mains", "", false},
        Chips{"init_is_none", a_pod().tpu(4).init_container("i").tpu(1), "main", "i"},
        Chips{"init_alone", a_pod().init_container("i").tpu(4), "", "i"}),
    case_name);

// What a claim says of its nodes is known, whatever class chooses them.
TEST(ShapeClaims, say_what_the_pod_does_not) {
  const auto with = [](PodBuilder pod) {
    const ReadPod read(pod.accelerator("").selector("cloud.google.com/compute-class", "c").tpu(4));
    Shape shape;
    read_shape(read.pod, shape);
    EXPECT_EQ(shape.class_chooses, shape.topology.empty());
    read::TakenClaims nothing, claims;
    take_claims(nothing, shape);
    EXPECT_EQ(shape.class_chooses, shape.topology.empty());
    claims.accelerator = "tpu7x";
    claims.topology = "2x2x4";
    take_claims(claims, shape);
    EXPECT_FALSE(shape.class_chooses);
    EXPECT_EQ(shape.source, shape.topology == "2x2x4" ? TopologySource::claim : node_selector);
    return std::string(shape.accelerator) + ' ' + std::string(shape.topology);
  };
  EXPECT_EQ(with(a_pod()), "tpu7x 2x2x4");
  EXPECT_EQ(with(a_pod().topology("2x2x1")), "tpu7x 2x2x1");
}

TEST(ShapeState, nothing_of_the_pod_before_stays) {
  Shape shape;
  const ReadPod full(
      a_pod().topology("2x4").annotation(slice_annotation, "2x2").tpu(2).container("b").tpu(1));
  read_shape(full.pod, shape);
  const ReadPod empty(a_pod().accelerator(""));
  EXPECT_FALSE(read_shape(empty.pod, shape));
  EXPECT_TRUE(shape.processes.empty() && shape.topology.empty() && shape.accelerator.empty() &&
              shape.selector_topology.empty() && shape.equal_chips && !shape.dynamic);
  EXPECT_EQ(shape.source, TopologySource::none);
}

}  // namespace
}  // namespace tpuwh::webhook::facts
