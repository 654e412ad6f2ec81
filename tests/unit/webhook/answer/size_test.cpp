// How large an answer can be: for every shape there is, and for Pods made to be large.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/admitted.hpp"
#include "topology/catalog.hpp"
#include "webhook/answer/admit.hpp"
#include "webhook/write/patch.hpp"

namespace tpuwh::webhook::answer {
namespace {

using namespace test;
using test::admit;
using topology::Dims;

struct Size {
  bool allowed = false;
  std::size_t patch = 0, answer = 0;
};

Size size_of(const json& pod, const config::Config& config) {
  static Workspace workspace;
  static const read::NoCluster cluster;
  std::string text = review_of(pod).dump();
  const Answer answer = admit(read::Body(text), config, cluster, workspace);
  return {answer.summary.outcome == Outcome::patched, answer.summary.patch_bytes,
          answer.body.size()};
}

struct Shape {
  std::string_view accelerator;
  Dims dims;
  std::uint32_t chips_per_vm;
};

// The rows of the catalog and what follows from its rules.
std::vector<Shape> all_shapes() {
  std::vector<Shape> shapes;
  for (const topology::Generation& generation : topology::generations()) {
    for (const topology::MachineType& machine : generation.machine_types)
      for (const topology::Topology& row : machine.topologies)
        if (row.vms > 1) shapes.push_back({generation.label, row.dims, machine.chips_per_vm});
    const std::uint32_t step = generation.cube_axis;
    if (step == 0) continue;
    const std::uint64_t most = generation.max_slice_chips;
    for (std::uint64_t a = step; a * a * a <= most; a += step)
      for (std::uint64_t b = a; a * b * b <= most; b += step)
        for (std::uint64_t c = b; a * b * c <= most; c += step)
          shapes.push_back({generation.label,
                            Dims(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b),
                                 static_cast<std::uint32_t>(c)),
                            generation.cube_chips_per_vm});
  }
  return shapes;
}

json member(const Shape& shape, std::uint32_t containers, std::size_t name_length) {
  auto pod = a_pod().accelerator(shape.accelerator).topology(shape.dims.text());
  pod.jobset(std::string(name_length, 'a'), "w", 2, 1, 0);
  for (std::uint32_t i = 0; i < containers; ++i)
    pod.container("c" + std::to_string(i), shape.chips_per_vm / containers);
  json made = pod.pod();
  json& list = made["spec"]["containers"];
  if (list.size() > containers) list.erase(0);
  return made;
}

// The longest name with which the slice is not refused for the kernel's limit.
Size largest(const Shape& shape, std::uint32_t containers, const config::Config& config) {
  constexpr std::size_t longest = 54;  // "<name>-w-1-<index>" is a label
  Size best;
  std::size_t low = 1, high = longest;
  while (low <= high) {
    const std::size_t middle = (low + high) / 2;
    const Size size = size_of(member(shape, containers, middle), config);
    if (size.allowed) best = size;
    if (size.allowed)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return best;
}

TEST(SizeOfAnAnswer, of_every_shape_at_the_longest_names_is_bounded) {
  Size most;
  std::size_t asked = 0;
  for (const Shape& shape : all_shapes()) {
    // Before tpu7x more containers than one get nothing.
    const bool shares = topology::traits_of(shape.accelerator).shares_host();
    const std::uint32_t most_containers = shares ? shape.chips_per_vm : 1;
    for (std::uint32_t containers = 1; containers <= most_containers; containers *= 2) {
      const Size size = largest(shape, containers, config::Config());
      // The kernel's limit: thousands of processes have no names short enough.
      EXPECT_TRUE(size.allowed || containers >= 4) << shape.accelerator << ' ' << shape.dims.text();
      most.patch = std::max(most.patch, size.patch);
      most.answer = std::max(most.answer, size.answer);
      ++asked;
    }
  }
  RecordProperty("shapes", static_cast<int>(asked));
  RecordProperty("patch_bytes", static_cast<int>(most.patch));
  EXPECT_GT(asked, 100u);
  EXPECT_LE(most.patch, write::max_patch_bytes);
  EXPECT_LE(most.answer, write::max_patch_bytes * 4 / 3 + 16'384);
}

// More than a patch may hold the names for.
PodBuilder of_many_containers() {
  auto pod = a_pod().accelerator("tpu7x").topology("16x20x24");
  pod.jobset("t", "w", 2, 1, 0).tpu(1);
  for (int i = 1; i < 16; ++i) pod.container("c" + std::to_string(i), 1);
  return pod;
}

TEST(SizeOfAnAnswer, many_containers_are_refused_with_the_numbers) {
  const Admitted answer = admit(of_many_containers());
  EXPECT_FALSE(answer.allowed);
  EXPECT_EQ(answer.reason, Reason::too_long);
  EXPECT_TRUE(has(answer.message, " bytes, the maximum is 1048576"));
  EXPECT_TRUE(has(answer.message, "16 TPU containers"));
  EXPECT_LT(answer.body.size(), 4096u);
}

std::string refused_with_terms(int count) {
  json terms = json::array();
  for (int i = 0; i < count; ++i)
    terms.push_back(
        {{"matchExpressions", json::array({{{"key", "zone"}, {"operator", "Exists"}}})}});
  return admit(of_many_containers().set(
                   "/spec/affinity/nodeAffinity/"
                   "requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms",
                   terms))
      .message;
}

TEST(SizeOfAnAnswer, node_selector_terms_are_counted_where_there_are_several) {
  EXPECT_TRUE(refused_with_terms(1).ends_with("hosts")) << refused_with_terms(1);
  EXPECT_TRUE(refused_with_terms(2).ends_with("hosts, and the Pod has 2 node selector terms"))
      << refused_with_terms(2);
}

TEST(SizeOfAnAnswer, many_node_selector_terms_are_refused_with_their_number) {
  auto pod = a_pod().topology("2x4");
  pod.jobset("train", "w", 2, 1, 0).tpu(4);
  json terms = json::array();
  for (int i = 0; i < 10'000; ++i)
    terms.push_back({{"matchFields", json::array({json::object()})}});
  pod.set(
      "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
      "nodeSelectorTerms",
      terms);
  const Admitted answer = admit(pod);
  EXPECT_FALSE(answer.allowed);
  EXPECT_TRUE(has(answer.message, "10000 node selector terms"));
}

TEST(SizeOfAnAnswer, a_pod_of_endless_lists_is_not_read) {
  for (const char* list : {"/spec/containers", "/spec/initContainers"}) {
    auto pod = a_pod().on("4x4", 4);
    json many = json::array();
    for (int i = 0; i < 70'000; ++i) many.push_back(json::object());
    pod.set(list, many);
    const Admitted answer = admit(pod);
    EXPECT_EQ(answer.status, 413u);
    EXPECT_TRUE(has(answer.message, "more than 65536 elements"));
  }
}

}  // namespace
}  // namespace tpuwh::webhook::answer
