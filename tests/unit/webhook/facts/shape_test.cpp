#include "webhook/facts/shape.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/read_pod.hpp"

namespace tpuwh::webhook::facts {
namespace {

using namespace test;

const char* const slice_annotation = "cloud.google.com/gke-tpu-slice-topology";
const char* const topology_key = "cloud.google.com/gke-tpu-topology";

// --- Topology ----------------------------------------------------------------------------

void expect_topology(const PodBuilder& pod, std::string_view topology, TopologySource source,
                     bool dynamic = false) {
  SCOPED_TRACE(pod.pod().dump());
  const ReadPod read(PodBuilder(pod).tpu(4));
  ASSERT_TRUE(read.good) << read.in.error().text();
  Shape shape;
  ASSERT_TRUE(read_shape(read.pod, shape));
  EXPECT_EQ(shape.topology, topology);
  EXPECT_EQ(shape.source, source);
  EXPECT_EQ(shape.dynamic, dynamic);
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

TEST(FindsTopology, most_specific_first) {
  expect_topology(a_pod(), "", TopologySource::none);
  expect_topology(a_pod().topology("2x4"), "2x4", node_selector);
  expect_topology(a_pod().topology(""), "", TopologySource::none);
  expect_topology(a_pod().selector(topology_key, nullptr), "", TopologySource::none);
  expect_topology(with_affinity({in(topology_key, {"2x4"})}), "2x4", node_affinity);
  expect_topology(with_affinity({in(topology_key, {"2x4", "4x4"})}), "", TopologySource::none);
  expect_topology(with_affinity({in(topology_key, {"2x4"}), in(topology_key, {"4x4"})}), "",
                  TopologySource::none);
  expect_topology(with_affinity({in(topology_key, {"2x4"}), in(topology_key, {"2x4"})}), "2x4",
                  node_affinity);
  expect_topology(a_pod().annotation(topology_key, "2x4"), "2x4", TopologySource::annotation);
  expect_topology(a_pod().annotation(slice_annotation, "2x4"), "2x4", sub_slice_annotation, true);
  // Cluster Toolkit writes the topology of the node pool into this annotation of every JobSet.
  expect_topology(a_pod().topology("2x4").annotation(slice_annotation, "2x4"), "2x4",
                  sub_slice_annotation);
  expect_topology(with_affinity({in(topology_key, {"2x4"})}).annotation(slice_annotation, "2x4"),
                  "2x4", sub_slice_annotation);
  expect_topology(
      with_affinity({in(topology_key, {"2x4", "4x4"})}).annotation(slice_annotation, "2x4"), "2x4",
      sub_slice_annotation, true);
  expect_topology(a_pod()
                      .topology("2x4")
                      .annotation(slice_annotation, "2x4")
                      .selector("cloud.google.com/gke-tpu-slice", "s"),
                  "2x4", sub_slice_annotation, true);
  expect_topology(a_pod()
                      .topology("2x4")
                      .annotation(slice_annotation, "2x4")
                      .annotation("kueue.x-k8s.io/podset-required-topology", "a"),
                  "2x4", sub_slice_annotation, true);
  expect_topology(a_pod().selector("cloud.google.com/gke-tpu-slice-2x4-id", "x"), "2x4",
                  slice_id_key, true);
  expect_topology(a_pod().selector("cloud.google.com/gke-tpu-partition-2x2x2-id", "x"), "2x2x2",
                  slice_id_key, true);
  expect_topology(with_affinity({in("cloud.google.com/gke-tpu-partition-2x2x2-state", {"x"})}),
                  "2x2x2", slice_id_key, true);
  expect_topology(a_pod().selector("cloud.google.com/gke-tpu-slice-2x4-idx", "x"), "",
                  TopologySource::none);
  expect_topology(a_pod().selector("cloud.google.com/gke-tpu-slice--id", "x"), "",
                  TopologySource::none);
  expect_topology(a_pod().topology("4x4").selector("cloud.google.com/gke-tpu-slice", "s"), "4x4",
                  node_selector, true);
  expect_topology(a_pod().topology("4x4").selector("cloud.google.com/gke-tpu-slice", ""), "4x4",
                  node_selector);
  // If several sources have a topology, the first one in the order of TopologySource is used.
  expect_topology(with_affinity({in(topology_key, {"8x8"})})
                      .topology("4x4")
                      .annotation(slice_annotation, "2x2")
                      .annotation(topology_key, "1x1"),
                  "2x2", sub_slice_annotation, true);
  expect_topology(
      with_affinity({in(topology_key, {"8x8"})}).topology("4x4").annotation(topology_key, "1x1"),
      "4x4", node_selector);
  expect_topology(with_affinity({in(topology_key, {"8x8"})}).annotation(topology_key, "1x1"), "8x8",
                  node_affinity);
  expect_topology(a_pod()
                      .annotation(topology_key, "1x1")
                      .selector("cloud.google.com/gke-tpu-slice-2x4-id", "x"),
                  "1x1", TopologySource::annotation, true);
  expect_topology(a_pod().topology("4x4").annotation(slice_annotation, ""), "4x4", node_selector);
}

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

void expect_processes(const PodBuilder& pod, std::string_view processes, std::string_view init = "",
                      bool equal = true) {
  SCOPED_TRACE(pod.pod().dump());
  const ReadPod read(pod);
  ASSERT_TRUE(read.good);
  Shape shape;
  const bool any = read_shape(read.pod, shape);
  const auto names = [](const auto& containers) {
    std::string all;
    for (const read::Container* container : containers) all += container->name;
    return all;
  };
  EXPECT_EQ(names(shape.processes), processes);
  EXPECT_EQ(names(shape.init), init);
  EXPECT_EQ(shape.equal_chips, equal);
  EXPECT_EQ(any, !processes.empty() || !init.empty());
}

// a_pod()'s own container is called "main".
TEST(FindsProcesses, that_hold_chips_together) {
  expect_processes(a_pod(), "");
  expect_processes(a_pod().tpu(0), "");
  expect_processes(a_pod().tpu(4), "main");
  expect_processes(a_pod().tpu(2).container("b", "2000m"), "mainb");
  expect_processes(a_pod().container("b", 4), "b");
  expect_processes(a_pod().tpu(2).container("b", 1), "mainb", "", false);
  expect_processes(a_pod().tpu(2).sidecar("s", 2).container("b", 2), "mainbs");
  expect_processes(a_pod().tpu(2).sidecar("s", 1), "mains", "", false);
  expect_processes(a_pod().tpu(4).init_container("i", 1), "main", "i");
  expect_processes(a_pod().init_container("i", 4), "", "i");
}

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
      a_pod().topology("2x4").annotation(slice_annotation, "2x2").tpu(2).container("b", 1));
  read_shape(full.pod, shape);
  const ReadPod empty(a_pod().accelerator(""));
  EXPECT_FALSE(read_shape(empty.pod, shape));
  EXPECT_TRUE(shape.processes.empty() && shape.topology.empty() && shape.accelerator.empty() &&
              shape.selector_topology.empty() && shape.equal_chips && !shape.dynamic);
  EXPECT_EQ(shape.source, TopologySource::none);
}

}  // namespace
}  // namespace tpuwh::webhook::facts
