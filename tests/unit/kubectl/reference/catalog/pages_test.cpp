// What published pages say about shapes, answered by `catalog`: the page's numbers where they
// are right; where they are not, the refusal or the note that says so.
//
// Pages: "first job" (first JAX training job on GKE TPUs), "multislice" (JobSet and Kueue),
// "ray multislice" (MaxText on two Trillium slices), "ray on gke" (Ray's TPU library).
#include "kubectl/reference/catalog/command.hpp"
#include "tests/support/ran.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tpuwh::server::catalog {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

test::Ran ask_page(const CatalogOptions& options) {
  return test::ran([&](const auto& console) { return run_catalog(options, console); });
}

// A row of a page: an accelerator, its topology, the machine type, and what the page says.
TEST(PageShape, is_answered) {
  const struct {
    const char* name;
    std::string accelerator, topology, machine;
    std::uint64_t want_chips;
    std::uint32_t want_nodes;       // of a slice
    std::uint64_t want_pods;        // of all slices
    std::string want_command = "";  // a word of the last one has this
    std::string want_note = "";     // one of them has this
    PoolOptions options = {};
  } cases[] = {
      // One table of the page says "1/4 host" for this shape.
      {"first_job_1x1", "v6e", "1x1", "ct6e-standard-1t", 1, 1, 1, "", "say 1/8 host"},
      {"first_job_2x2", "v6e", "2x2", "ct6e-standard-4t", 4, 1, 1, "", "say 1/2 host"},
      // The page calls this shape "single-host".
      {"first_job_2x4_of_two", "tpu-v6e-slice", "2x4", "ct6e-standard-4t", 8, 2, 2, "--max-nodes=2",
       "say 1 host where GKE has 2 nodes", PoolOptions{.flex_start = true}},
      {"first_job_2x4_of_one", "tpu-v6e-slice", "2x4", "ct6e-standard-8t", 8, 1, 1, "--max-nodes=1",
       "", PoolOptions{.flex_start = true}},
      {"first_job_names_ironwood", "tpu7x-standard-4t", "2x2x1", "tpu7x-standard-4t", 4, 1, 1},
      // The page's command has no --num-nodes. The number of nodes follows from the shape.
      {"multislice_4x4_twice", "tpu-v6e-slice", "4x4", "ct6e-standard-4t", 16, 4, 8,
       "--num-nodes=4", "a different --num-nodes or --max-nodes than 4", PoolOptions{.slices = 2}},
      {"ray_multislice_4x4_twice", "v6e-16", "", "ct6e-standard-4t", 16, 4, 8,
       "--node-labels=cloud.google.com/gke-networking-dra-driver=true", "",
       PoolOptions{.dranet = true, .slices = 2, .num_nodes = 4}},
      {"ray_on_gke_4x4_of_four_workers", "TPU-V6E", "4x4", "ct6e-standard-4t", 16, 4, 4},
      {"ray_on_gke_v6e_32", "v6e-32", "", "ct6e-standard-4t", 32, 8, 8},
      {"ray_on_gke_v5litepod_16", "v5litepod-16", "", "ct5lp-hightpu-4t", 16, 4, 4,
       "--reservation=v5e-reservation", "", PoolOptions{.reservation = "v5e-reservation"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto answer = ask_page({.accelerator = c.accelerator,
                                  .topology = c.topology,
                                  .chips_per_node = {},
                                  .output = CatalogOutput::json,
                                  .pool = c.options});
    ASSERT_EQ(answer.code, 0) << answer.err;
    const json shapes = json::parse(answer.out)["shapes"];
    const auto shape = std::ranges::find_if(
        shapes, [&](const json& candidate) { return candidate["machineType"] == c.machine; });
    ASSERT_NE(shape, shapes.end());
    EXPECT_EQ((*shape)["chips"], c.want_chips);
    EXPECT_EQ((*shape)["nodes"], c.want_nodes);
    EXPECT_EQ((*shape)["pod"]["count"], c.want_pods);
    const auto command = (*shape)["commands"].back().get<std::vector<std::string>>();
    EXPECT_THAT(command, Contains(HasSubstr(c.want_command)));
    const auto notes = (*shape)["notes"].get<std::vector<std::string>>();
    EXPECT_THAT(notes, Contains(HasSubstr(c.want_note)));
  }
}

TEST(WrongPage, is_told_what_would_be_right) {
  const struct {
    std::string_view name;
    CatalogOptions options;
    std::string_view want;
  } cases[] = {
      // The page has a ComputeClass with count 8 (chips of a node) and topology 4x8.
      {"ray_on_gke_4x8_of_8",
       {.accelerator = "tpu-v6e-slice", .topology = "4x8", .chips_per_node = 8},
       "4x8 is made of 8 nodes of 4 chips (ct6e-standard-4t)"},
      // The page says "With one node it becomes 2x2", but the slice does not form at all.
      {"first_job_2x4_with_one_node_of_four",
       {.accelerator = "ct6e-standard-4t", .topology = "2x4", .pool = {.num_nodes = 1}},
       "--num-nodes 1 does not form the topology: 2x4 (8 chips) on ct6e-standard-4t with 4 "
       "chips is 2 nodes"},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.name);
    const auto answer = ask_page(each.options);
    EXPECT_EQ(answer.code, 2);
    EXPECT_EQ(answer.out, "");
    EXPECT_THAT(answer.err, HasSubstr(std::string(each.want)));
  }
}

}  // namespace
}  // namespace tpuwh::server::catalog
