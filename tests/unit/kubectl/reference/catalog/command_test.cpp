#include "kubectl/reference/catalog/command.hpp"

#include "tests/support/ran.hpp"
#include "topology/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tpuwh::server::catalog {
namespace {

using nlohmann::json;
using testing::HasSubstr;

test::Ran run(const CatalogOptions& options, bool terminal = false) {
  return test::ran([&](const auto& console) { return run_catalog(options, console); }, "",
                   terminal);
}

std::string ask(const CatalogOptions& options, bool terminal = false) {
  const test::Ran ran = run(options, terminal);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  return ran.out;
}

TEST(CatalogCommand, lists_every_generation_machine_type_and_source) {
  const auto text = ask({});
  for (const auto& generation : topology::generations()) {
    EXPECT_THAT(text, HasSubstr(std::string(generation.label)));
    for (const auto& machine : generation.machine_types) {
      EXPECT_THAT(text, HasSubstr(std::string(machine.name)));
    }
    for (const auto source : generation.sources) {
      EXPECT_THAT(text, HasSubstr("\n  " + std::string(source) + ": "));
    }
  }
}

TEST(CatalogCommand, lists_the_shapes_of_a_generation) {
  const auto text = ask({.accelerator = "v6e"});
  EXPECT_THAT(text, HasSubstr("  8x16      128    32     ct6e-standard-4t  v6e-128  2,2,1       "
                              "4,8,1  false,true,false   doc-v6e"));
  const auto ironwood = ask({.accelerator = "Ironwood"});
  EXPECT_THAT(ironwood, HasSubstr("every A<=B<=C in multiples of 4 up to 9216 chips"));
  EXPECT_THAT(ironwood, HasSubstr("tpu7x-ultranet-4t: Only used when asked for by name"));
}

TEST(CatalogCommand, lists_a_screen_of_shapes_unless_all_are_asked_for) {
  const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  for (const char* many : {"tpu7x", "v5p"}) {
    const auto screen = ask({.accelerator = many}), all = ask({.accelerator = many, .all = true});
    EXPECT_LE(lines(screen), 32) << many;
    EXPECT_THAT(screen, HasSubstr(" more; --all prints them"));
    EXPECT_THAT(screen, HasSubstr("\n  8x8x8 "));
    EXPECT_GT(lines(all), 90) << many;
    EXPECT_THAT(all, Not(HasSubstr("--all")));
  }
  EXPECT_EQ(ask({.accelerator = "v6e"}), ask({.accelerator = "v6e", .all = true}));
}

TEST(CatalogCommand, lists_the_shapes_of_an_ambiguous_type) {
  const auto text = ask({.accelerator = "v4-512"});
  EXPECT_THAT(text, HasSubstr("4x4x16"));
  EXPECT_THAT(text, HasSubstr("4x8x8"));
  EXPECT_THAT(text, Not(HasSubstr("8x8x8")));
}

TEST(CatalogCommand, shows_all_ways_or_the_one_asked_for) {
  const auto both = ask({.accelerator = "v6e", .topology = "2x4"});
  EXPECT_THAT(both, HasSubstr("on 2 x ct6e-standard-4t"));
  EXPECT_THAT(both, HasSubstr("on 1 x ct6e-standard-8t"));
  const auto one = ask({.accelerator = "v6e", .topology = "2x4", .chips_per_node = 8});
  EXPECT_THAT(one, Not(HasSubstr("on 2 x ct6e-standard-4t")));
  EXPECT_THAT(one, HasSubstr("on 1 x ct6e-standard-8t"));
}

// Of 2x4 on v6e only one way has the network cards.
TEST(CatalogCommand, shows_the_ways_the_flags_fit) {
  const auto text = ask({.accelerator = "v6e", .topology = "2x4", .pool = {.dranet = true}});
  EXPECT_THAT(text, HasSubstr("on 2 x ct6e-standard-4t"));
  EXPECT_THAT(text, Not(HasSubstr("on 1 x ct6e-standard-8t")));
}

TEST(CatalogCommand, has_colour_only_on_a_terminal) {
  EXPECT_THAT(ask({.accelerator = "v6e", .topology = "4x4"}), Not(HasSubstr("\033[")));
  EXPECT_THAT(ask({.accelerator = "v6e", .topology = "4x4"}, true), HasSubstr("\033[1m"));
}

// --- JSON: the keys of docs/contract.md ---------------------------------------------

std::vector<std::string> keys(const json& object) {
  std::vector<std::string> result;
  for (const auto& [key, value] : object.items()) result.push_back(key);
  return result;
}

using Keys = std::vector<std::string>;  // sorted, as nlohmann's plain object is

TEST(CatalogJson, of_everything) {
  const auto answer = json::parse(ask({.output = CatalogOutput::json}));
  EXPECT_EQ(keys(answer), (Keys{"generations", "sources"}));
  ASSERT_EQ(answer["generations"].size(), topology::generations().size());
  for (const auto& generation : answer["generations"]) {
    for (const auto& source : generation["sources"]) {
      EXPECT_TRUE(answer["sources"].contains(source.get<std::string>())) << source;
    }
  }
  auto first = answer["generations"][0];
  first.erase("note");
  EXPECT_EQ(keys(first), (Keys{"accelerator", "acceleratorTypePrefix", "boundsSetByGke",
                               "coresPerChip", "dimensions", "machineTypes", "maxSliceChips",
                               "multislice", "name", "sources", "status"}));
}

TEST(CatalogJson, of_a_generation) {
  const auto answer = json::parse(ask({.accelerator = "v6e", .output = CatalogOutput::json}));
  EXPECT_EQ(keys(answer), (Keys{"generation", "shapes", "sources"}));
  ASSERT_EQ(answer["shapes"].size(), 9u);
  EXPECT_EQ(keys(answer["shapes"][0]),
            (Keys{"accelerator", "acceleratorType", "chips", "chipsPerHostBounds", "chipsPerNode",
                  "cores", "hostBounds", "listed", "machineType", "multiHost", "nodes", "sources",
                  "topology", "wrap"}));
}

TEST(CatalogJson, of_a_shape) {
  const auto answer =
      json::parse(ask({.accelerator = "v5p", .topology = "2x2x2", .output = CatalogOutput::json}));
  ASSERT_EQ(answer["shapes"].size(), 1u);
  const auto& shape = answer["shapes"][0];
  EXPECT_EQ(keys(shape),
            (Keys{"accelerator",  "acceleratorType", "chips",       "chipsPerHostBounds",
                  "chipsPerNode", "commands",        "cores",       "hostBounds",
                  "hosts",        "listed",          "machineType", "multiHost",
                  "nodePools",    "nodes",           "notes",       "pod",
                  "slices",       "sources",         "subSlices",   "topology",
                  "wrap"}));
  EXPECT_EQ(shape["acceleratorType"], "v5p-16");
  EXPECT_EQ(shape["cores"], 16);
  EXPECT_EQ(shape["hostBounds"], json({1, 1, 2}));
  EXPECT_EQ(shape["wrap"], json({false, false, false}));
  EXPECT_EQ(shape["subSlices"], json({{{"topology", "2x2x1"}, {"count", 2}, {"nodesEach", 1}}}));
  ASSERT_EQ(shape["hosts"].size(), 2u);
  EXPECT_EQ(shape["hosts"][1]["workerId"], 1);
  EXPECT_EQ(shape["hosts"][1]["host"], json({0, 0, 1}));
  EXPECT_EQ(shape["hosts"][1]["chips"], json({{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}));
  EXPECT_EQ(shape["commands"][0][0], "gcloud");
  EXPECT_EQ(keys(shape["pod"]), (Keys{"count", "limits", "nodeSelector", "yaml"}));
  EXPECT_EQ(shape["pod"]["limits"]["google.com/tpu"], 4);
}

TEST(CatalogJson, of_a_dynamic_slice) {
  const auto answer = json::parse(ask({.accelerator = "tpu7x",
                                       .topology = "4x12x16",
                                       .output = CatalogOutput::json,
                                       .pool = {.dynamic_slicing = true}}));
  const auto& shape = answer["shapes"][0];
  EXPECT_EQ(shape["nodePools"], 12);
  EXPECT_EQ(shape["blocks"], json({{"topology", "4x4x4"},
                                   {"nodesEach", 16},
                                   {"along", {1, 3, 4}},
                                   {"count", 12},
                                   {"slicesPerBlock", 1}}));
  EXPECT_EQ(shape["commands"].size(), 14u);
  EXPECT_EQ(shape["pod"]["annotations"],
            json({{"cloud.google.com/gke-tpu-slice-topology", "4x12x16"}}));
  EXPECT_FALSE(shape["pod"]["nodeSelector"].contains("cloud.google.com/gke-tpu-topology"));
}

// --- What makes no sense ------------------------------------------------------------

TEST(CatalogRefuses, in_one_line_with_exit_code_2) {
  const std::pair<CatalogOptions, std::string_view> cases[] = {
      {{.accelerator = "v6f"}, "did you mean \"tpu-v6e-slice\"?"},
      {{.accelerator = "v5p", .topology = "3x3x3", .chips_per_node = 4},
       "topology 3x3x3 is 27 chips and cannot be split over Pods of 4 chips"},
      {{.accelerator = "v6e-17"},
       "no listed topology of tpu-v6e-slice is v6e-17: that is 17 cores, 1 on a chip"},
      {{.output = CatalogOutput::svg}, "--output svg draws one shape"},
      {{.accelerator = "v6e", .pool = {.spot = true}}, "flags for a node pool need its shape"},
      {{.accelerator = "v6e", .topology = "4x4", .pool = {.dynamic_slicing = true}},
       "4x4 is not a dynamic slice: only tpu7x has dynamic slicing"},
      {{.accelerator = "v6e", .topology = "2x4", .pool = {.num_nodes = 3}},
       "2x4 (8 chips) on ct6e-standard-4t with 4 chips is 2 nodes"},
  };
  for (const auto& [options, want] : cases) {
    SCOPED_TRACE(want);
    const test::Ran ran = run(options);
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(ran.err.starts_with("kubectl-tpu: ")) << ran.err;
    EXPECT_EQ(ran.err.find('\n'), ran.err.size() - 1) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(std::string(want)));
  }
}

}  // namespace
}  // namespace tpuwh::server::catalog
