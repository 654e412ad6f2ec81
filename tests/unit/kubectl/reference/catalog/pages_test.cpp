// What published pages say about shapes, answered by `catalog`: the page's numbers where they
// are right; where they are not, the refusal or the note that says so.
//
// Pages: "first job" (first JAX training job on GKE TPUs), "multislice" (JobSet and Kueue),
// "ray multislice" (MaxText on two Trillium slices), "ray on gke" (Ray's TPU library).
#include "kubectl/reference/catalog/command.hpp"
#include "tests/support/named_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>

namespace tpuwh::server::catalog {
namespace {

using nlohmann::json;
using test::case_name;
using test::PrintTo;
using testing::Contains;
using testing::HasSubstr;

struct Answer {
  int code;
  std::string out, err;
};

Answer ask_page(CatalogOptions options) {
  std::istringstream in;
  std::ostringstream out, err;
  const int code = run_catalog(options, {in, out, err, false});
  return {code, out.str(), err.str()};
}

// A row of a page: an accelerator, its topology, the machine type, and what the page says.
struct Page {
  std::string_view name;
  std::string accelerator;
  std::string topology;
  std::string machine;
  PoolOptions options = {};
  std::uint64_t want_chips;
  std::uint32_t want_nodes;       // of a slice
  std::uint64_t want_pods;        // of all slices
  std::string want_command = "";  // a word of the last one has this
  std::string want_note = "";     // one of them has this
};

class PageShape : public testing::TestWithParam<Page> {};

TEST_P(PageShape, is_answered) {
  const Page& c = GetParam();
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

const Page pages[] = {
    {.name = "first_job_1x1",
     .accelerator = "v6e",
     .topology = "1x1",
     .machine = "ct6e-standard-1t",
     .want_chips = 1,
     .want_nodes = 1,
     .want_pods = 1,
     .want_note = "say 1/8 host"},  // one table of the page says 1/4
    {.name = "first_job_2x2",
     .accelerator = "v6e",
     .topology = "2x2",
     .machine = "ct6e-standard-4t",
     .want_chips = 4,
     .want_nodes = 1,
     .want_pods = 1,
     .want_note = "say 1/2 host"},
    {.name = "first_job_2x4_of_two",
     .accelerator = "tpu-v6e-slice",
     .topology = "2x4",
     .machine = "ct6e-standard-4t",
     .options = {.flex_start = true},
     .want_chips = 8,
     .want_nodes = 2,
     .want_pods = 2,
     .want_command = "--max-nodes=2",
     .want_note = "say 1 host where GKE has 2 nodes"},  // "single-host" there
    {.name = "first_job_2x4_of_one",
     .accelerator = "tpu-v6e-slice",
     .topology = "2x4",
     .machine = "ct6e-standard-8t",
     .options = {.flex_start = true},
     .want_chips = 8,
     .want_nodes = 1,
     .want_pods = 1,
     .want_command = "--max-nodes=1"},
    {.name = "first_job_names_ironwood",
     .accelerator = "tpu7x-standard-4t",
     .topology = "2x2x1",
     .machine = "tpu7x-standard-4t",
     .want_chips = 4,
     .want_nodes = 1,
     .want_pods = 1},
    // The page leaves --num-nodes out, which is then no part of its command but of the shape.
    {.name = "multislice_4x4_twice",
     .accelerator = "tpu-v6e-slice",
     .topology = "4x4",
     .machine = "ct6e-standard-4t",
     .options = {.slices = 2},
     .want_chips = 16,
     .want_nodes = 4,
     .want_pods = 8,
     .want_command = "--num-nodes=4",
     .want_note = "a different --num-nodes or --max-nodes than 4"},
    {.name = "ray_multislice_4x4_twice",
     .accelerator = "v6e-16",
     .topology = "",
     .machine = "ct6e-standard-4t",
     .options = {.dranet = true, .slices = 2, .num_nodes = 4},
     .want_chips = 16,
     .want_nodes = 4,
     .want_pods = 8,
     .want_command = "--node-labels=cloud.google.com/gke-networking-dra-driver=true"},
    {.name = "ray_on_gke_4x4_of_four_workers",
     .accelerator = "TPU-V6E",
     .topology = "4x4",
     .machine = "ct6e-standard-4t",
     .want_chips = 16,
     .want_nodes = 4,
     .want_pods = 4},
    {.name = "ray_on_gke_v6e_32",
     .accelerator = "v6e-32",
     .topology = "",
     .machine = "ct6e-standard-4t",
     .want_chips = 32,
     .want_nodes = 8,
     .want_pods = 8},
    {.name = "ray_on_gke_v5litepod_16",
     .accelerator = "v5litepod-16",
     .topology = "",
     .machine = "ct5lp-hightpu-4t",
     .options = {.reservation = "v5e-reservation"},
     .want_chips = 16,
     .want_nodes = 4,
     .want_pods = 4,
     .want_command = "--reservation=v5e-reservation"},
};
INSTANTIATE_TEST_SUITE_P(Pages, PageShape, testing::ValuesIn(pages), case_name);

struct Wrong {
  std::string_view name;
  CatalogOptions options;
  std::string_view want;
};

class WrongPage : public testing::TestWithParam<Wrong> {};

TEST_P(WrongPage, is_told_what_would_be_right) {
  const auto answer = ask_page(GetParam().options);
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(answer.out, "");
  EXPECT_THAT(answer.err, HasSubstr(std::string(GetParam().want)));
}

const Wrong wrong[] = {
    // A ComputeClass with count 8 (chips of a node) and topology 4x8.
    {.name = "ray_on_gke_4x8_of_8",
     .options = {.accelerator = "tpu-v6e-slice", .topology = "4x8", .chips_per_node = 8},
     .want = "4x8 is made of 8 nodes of 4 chips (ct6e-standard-4t)"},
    // "With one node it becomes 2x2": no, it does not form at all.
    {.name = "first_job_2x4_with_one_node_of_four",
     .options = {.accelerator = "ct6e-standard-4t", .topology = "2x4", .pool = {.num_nodes = 1}},
     .want = "--num-nodes 1 does not form the topology: 2x4 (8 chips) on ct6e-standard-4t with 4 "
             "chips is 2 nodes"},
};
INSTANTIATE_TEST_SUITE_P(Pages, WrongPage, testing::ValuesIn(wrong), case_name);

}  // namespace
}  // namespace tpuwh::server::catalog
