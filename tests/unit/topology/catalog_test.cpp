#include "topology/catalog.hpp"

#include "tests/support/named_case.hpp"
#include "tests/unit/topology/catalog_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::topology {
namespace {

using nlohmann::json;
using test::case_name;

std::vector<std::string> strings(std::span<const std::string_view> views) {
  return {views.begin(), views.end()};
}

// --- The generated rows are the file's ---------------------------------------

void expect_same(const Topology& row, const json& want) {
  SCOPED_TRACE(row.dims.text());
  EXPECT_EQ(row.dims.text(), want["topology"].get<std::string>());
  EXPECT_EQ(row.dims.chips(), want["chips"]);
  EXPECT_EQ(row.vms, want["vms"]);
  EXPECT_EQ(row.scope, want["scope"].get<std::string>());
  EXPECT_EQ(row.accelerator_type, want["accelerator_type"].get<std::string>());
  EXPECT_EQ(row.chips_per_host_bounds, want["chips_per_host_bounds"].get<std::string>());
  EXPECT_EQ(row.host_bounds, want["host_bounds"].get<std::string>());
  EXPECT_EQ(row.wrap, want["wrap"].get<std::string>());
  EXPECT_EQ(strings(row.sources), want["source"].get<std::vector<std::string>>());
}

void expect_same(const MachineType& machine, const json& want, const json& topologies) {
  SCOPED_TRACE(machine.name);
  EXPECT_EQ(machine.name, want["name"].get<std::string>());
  EXPECT_EQ(machine.chips_per_vm, want["chips_per_vm"]);
  EXPECT_EQ(machine.note, want.value("note", ""));
  EXPECT_EQ(strings(machine.sources), want["source"].get<std::vector<std::string>>());
  ASSERT_EQ(machine.topologies.size(), topologies.size());
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    expect_same(machine.topologies[i], topologies[i]);
  }
}

const json& topologies_of(const json& machine, const json& machines) {
  if (!machine.contains("topologies_same_as")) return machine["topologies"];
  const auto is_model = [&](const json& m) { return m["name"] == machine["topologies_same_as"]; };
  return (*std::ranges::find_if(machines, is_model))["topologies"];
}

TEST(Catalog, has_every_row_of_the_file) {
  const json catalog = read_catalog();
  ASSERT_EQ(generations().size(), catalog["generations"].size());
  for (const json& want : catalog["generations"]) {
    const Generation* generation =
        find_generation(want["gke_accelerator_label"].get<std::string>());
    ASSERT_NE(generation, nullptr) << want["id"];
    SCOPED_TRACE(generation->label);
    EXPECT_EQ(generation->id, want["id"].get<std::string>());
    EXPECT_EQ(generation->name, want["name"].get<std::string>());
    EXPECT_EQ(generation->type_prefix, want["accelerator_type_prefix"].get<std::string>());
    EXPECT_EQ(generation->rank, want["dimensions"]);
    EXPECT_EQ(generation->cores_per_chip, want["cores_per_chip"]);
    EXPECT_EQ(generation->multislice, want["multislice"] == true);
    EXPECT_EQ(generation->max_slice_chips, want["max_slice_chips"]);
    EXPECT_EQ(generation->cube_axis, want.contains("custom_topology_rule") ? 4 : 0);
    EXPECT_EQ(generation->physical_chips_per_host, want["physical_chips_per_host"]);
    EXPECT_EQ(generation->bounds_set_by_gke, want["bounds_env_set_by_gke"]);
    EXPECT_EQ(generation->status, want["status"].get<std::string>());
    EXPECT_EQ(generation->note, want.value("note", ""));
    EXPECT_EQ(strings(generation->sources), want["source"].get<std::vector<std::string>>());
    const json& machines = want["machine_types"];
    ASSERT_EQ(generation->machine_types.size(), machines.size());
    for (std::size_t i = 0; i < machines.size(); ++i) {
      expect_same(generation->machine_types[i], machines[i], topologies_of(machines[i], machines));
    }
  }
}

TEST(Catalog, explains_every_source_it_names) {
  const json want = read_catalog()["sources"];
  ASSERT_EQ(sources().size(), want.size());
  for (const Source& source : sources()) {
    const json& entry = want.at(std::string(source.id));
    EXPECT_EQ(source.title, entry["title"].get<std::string>());
    EXPECT_EQ(source.where, entry["where"].get<std::string>());
    EXPECT_EQ(source.version, entry["version"].get<std::string>());
  }
}

TEST(Catalog, rows_are_known_and_ascend) {
  for (const Generation& generation : generations()) {
    SCOPED_TRACE(generation.label);
    const auto machines = generation.machine_types;
    EXPECT_TRUE(std::ranges::is_sorted(machines, {}, &MachineType::chips_per_vm));
    for (const MachineType& machine : machines) {
      const auto chips = [](const Topology& row) { return row.dims.chips(); };
      EXPECT_TRUE(std::ranges::is_sorted(machine.topologies, {}, chips));
      for (const Topology& row : machine.topologies) {
        EXPECT_TRUE(is_known(generation, row.dims, machine.chips_per_vm)) << row.dims.text();
      }
    }
  }
}

// --- Generations --------------------------------------------------------------

TEST(Catalog, finds_generations_by_exact_label_only) {
  EXPECT_EQ(find_generation("tpu-v6e-slice")->type_prefix, "v6e");
  EXPECT_EQ(find_generation("tpu7x")->id, "tpu7x");
  EXPECT_EQ(find_generation("tpu7")->id, "tpu7");
  for (const char* unknown : {"", "tpu", "tpu8t", "tpu-v6e", "TPU7X", "tpu7x-standard-4t",
                              "tpu-v6e-slice ", "tpu-v5-lite"}) {
    EXPECT_EQ(find_generation(unknown), nullptr) << unknown;
  }
}

struct TraitsOf {
  std::string_view name;
  std::string_view label;
  bool want;
};
void PrintTo(const TraitsOf& c, std::ostream* out) {
  *out << c.name;
}

class ALabel : public testing::TestWithParam<TraitsOf> {};

TEST_P(ALabel, has_the_traits_of_the_row_that_it_spells) {
  const Traits& traits = traits_of(GetParam().label);
  EXPECT_EQ(traits.shares_host(), GetParam().want);
  EXPECT_EQ(traits.ids_by_webhook, GetParam().want);
  EXPECT_EQ(traits.process_addresses, GetParam().want);
  EXPECT_EQ(traits.devices_per_chip, GetParam().want ? 2u : 1u);
}

constexpr TraitsOf labels[] = {
    {.name = "tpu7", .label = "tpu7", .want = true},
    {.name = "tpu7x", .label = "tpu7x", .want = true},
    {.name = "machine_type", .label = "tpu7x-standard-4t", .want = true},
    {.name = "machine_type_of_tpu7", .label = "tpu7-standard-1t", .want = true},
    {.name = "ultranet", .label = "tpu7x-ultranet-4t", .want = true},
    {.name = "generation_seventy", .label = "tpu70", .want = false},
    {.name = "sibling_to_come", .label = "tpu7e", .want = false},
    {.name = "longer_letters", .label = "tpu7xl", .want = false},
    {.name = "next", .label = "tpu8x", .want = false},
    {.name = "v6e", .label = "tpu-v6e-slice", .want = false},
    {.name = "prefix_of_it", .label = "tpu", .want = false},
    {.name = "empty", .label = "", .want = false},
};
INSTANTIATE_TEST_SUITE_P(catalog, ALabel, testing::ValuesIn(labels), case_name);

TEST(Catalog, has_the_columns_of_the_file) {
  const json catalog = read_catalog();
  for (const json& row : catalog.at("generations")) {
    const std::string label = row.at("gke_accelerator_label");
    SCOPED_TRACE(label);
    const Generation& generation = *find_generation(label);
    const Traits& traits = generation.traits;
    EXPECT_EQ(traits.devices_per_chip, row.at("torch_tpu_devices_per_chip"));
    EXPECT_EQ(traits.processes_per_host, row.at("processes_per_host"));
    EXPECT_EQ(traits.ids_by_webhook, row.at("single_host_ids_by") == "webhook");
    EXPECT_EQ(traits.process_addresses, row.at("process_addresses"));
    EXPECT_EQ(generation.placed_by_policy, row.at("placed_by_policy"));
    EXPECT_EQ(generation.flex_start, row.at("flex_start"));
    EXPECT_EQ(generation.dynamic_slicing != nullptr, row.contains("dynamic_slicing"));
    EXPECT_EQ(generation.aliases.size(), row.value("aliases", nlohmann::json::array()).size());
  }
}

TEST(Catalog, names_generations_in_a_sentence) {
  EXPECT_EQ(labels_of([](const Generation& each) { return each.traits.shares_host(); }),
            "tpu7x or tpu7");
  EXPECT_EQ(labels_of([](const Generation& each) { return each.dynamic_slicing != nullptr; }),
            "tpu7x");
  EXPECT_EQ(labels_of([](const Generation&) { return false; }), "");
}

// --- Shapes -------------------------------------------------------------------

struct Known {
  std::string_view name;
  std::string_view label;
  Dims dims;
  std::vector<std::uint32_t> want_chips_per_vm;
};
void PrintTo(const Known& c, std::ostream* out) {
  *out << c.name;
}

class ShapeIsKnown : public testing::TestWithParam<Known> {};

TEST_P(ShapeIsKnown, with_chips_per_vm) {
  const Generation& generation = *find_generation(GetParam().label);
  std::array<std::uint32_t, 4> out{};
  const std::size_t count = chips_per_vm_of(generation, GetParam().dims, out);
  EXPECT_EQ(std::vector(out.begin(), out.begin() + count), GetParam().want_chips_per_vm);
  for (const std::uint32_t chips : {1u, 2u, 4u, 8u}) {
    const bool want = std::ranges::count(GetParam().want_chips_per_vm, chips) > 0;
    EXPECT_EQ(is_known(generation, GetParam().dims, chips), want) << chips;
  }
}

const Known known[] = {
    {"v6e_2x4_both", "tpu-v6e-slice", Dims(2, 4), {4, 8}},
    {"v5e_2x4_both", "tpu-v5-lite-podslice", Dims(2, 4), {4, 8}},
    {"v5e_device_2x4", "tpu-v5-lite-device", Dims(2, 4), {8}},
    {"v6e_1x1", "tpu-v6e-slice", Dims(1, 1), {1}},
    {"v6e_16x16", "tpu-v6e-slice", Dims(16, 16), {4}},
    {"v6e_2x8", "tpu-v6e-slice", Dims(2, 8), {}},
    {"v6e_turned", "tpu-v6e-slice", Dims(4, 2), {}},
    {"v6e_three_axes", "tpu-v6e-slice", Dims(2, 2, 1), {}},
    {"v3_2x2_is_the_device", "tpu-v3-slice", Dims(2, 2), {}},
    {"v4_one_chip", "tpu-v4-podslice", Dims(1, 1, 1), {}},
    {"v4_small", "tpu-v4-podslice", Dims(2, 2, 4), {4}},
    {"v4_small_unordered", "tpu-v4-podslice", Dims(2, 4, 2), {}},
    {"v4_small_unlisted", "tpu-v4-podslice", Dims(2, 2, 8), {}},
    {"v4_rule_not_row", "tpu-v4-podslice", Dims(4, 12, 12), {4}},
    {"v4_unordered", "tpu-v4-podslice", Dims(4, 8, 4), {}},
    {"v4_largest", "tpu-v4-podslice", Dims(16, 16, 16), {4}},
    {"v4_too_large", "tpu-v4-podslice", Dims(16, 16, 20), {}},
    {"v5p_above_maximum_but_row", "tpu-v5p-slice", Dims(16, 20, 28), {4}},
    {"v5p_above_maximum", "tpu-v5p-slice", Dims(16, 16, 28), {}},
    {"tpu7x_one_chip", "tpu7x", Dims(1, 1, 1), {1}},
    {"tpu7x_one_vm_twins", "tpu7x", Dims(2, 2, 1), {4}},
    {"tpu7x_beyond_xpk", "tpu7x", Dims(4, 4, 576), {4}},
    {"tpu7_largest", "tpu7", Dims(4, 8, 8), {4}},
    {"tpu7_too_large", "tpu7", Dims(8, 8, 8), {}},
};
INSTANTIATE_TEST_SUITE_P(catalog, ShapeIsKnown, testing::ValuesIn(known), case_name);

// docs/facts.md#large-shapes, counted.
struct RuleCount {
  std::string_view name;
  std::string_view label;
  std::uint64_t max_chips;
  std::size_t want;
};
void PrintTo(const RuleCount& c, std::ostream* out) {
  *out << c.name;
}

class CubeRule : public testing::TestWithParam<RuleCount> {};

// Every shape of that many chips with any axes, not only multiples of 4.
TEST_P(CubeRule, allows_so_many_shapes) {
  const Generation& generation = *find_generation(GetParam().label);
  const auto max = static_cast<std::uint32_t>(GetParam().max_chips);
  std::size_t count = 0;
  for (std::uint32_t a = 3; a * 16 <= max; ++a) {
    for (std::uint32_t b = 3; a * b * 4 <= max; ++b) {
      for (std::uint32_t c = 3; a * b * c <= max; ++c) {
        count += is_known(generation, Dims(a, b, c), 4) ? 1u : 0u;
      }
    }
  }
  EXPECT_EQ(count, GetParam().want);
}

constexpr RuleCount rule_counts[] = {
    {.name = "v4", .label = "tpu-v4-podslice", .max_chips = 4096, .want = 182},
    {.name = "v5p", .label = "tpu-v5p-slice", .max_chips = 6144, .want = 306},
    // 12x24x24 and 16x20x28: rows that tools list beyond the documented maximum
    {.name = "v5p_whole_pod", .label = "tpu-v5p-slice", .max_chips = 8960, .want = 308},
    {.name = "tpu7x", .label = "tpu7x", .max_chips = 9216, .want = 516},
    {.name = "tpu7x_and_no_more", .label = "tpu7x", .max_chips = 9800, .want = 516},
    {.name = "tpu7", .label = "tpu7", .max_chips = 512, .want = 5},
    {.name = "v6e_has_none", .label = "tpu-v6e-slice", .max_chips = 512, .want = 0},
};
INSTANTIATE_TEST_SUITE_P(catalog, CubeRule, testing::ValuesIn(rule_counts), case_name);

struct Legal {
  std::string_view name;
  std::string_view label;
  std::uint32_t chips_per_vm;
  std::string_view want;
};
void PrintTo(const Legal& c, std::ostream* out) {
  *out << c.name;
}

class LegalShapes : public testing::TestWithParam<Legal> {};

TEST_P(LegalShapes, are_listed) {
  EXPECT_EQ(legal_shapes(*find_generation(GetParam().label), GetParam().chips_per_vm),
            GetParam().want);
}

constexpr Legal legal[] = {
    {.name = "v6e_4",
     .label = "tpu-v6e-slice",
     .chips_per_vm = 4,
     .want = "2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16"},
    {.name = "v6e_8", .label = "tpu-v6e-slice", .chips_per_vm = 8, .want = "2x4"},
    {.name = "v6e_3", .label = "tpu-v6e-slice", .chips_per_vm = 3, .want = ""},
    {.name = "v5p_4",
     .label = "tpu-v5p-slice",
     .chips_per_vm = 4,
     .want = "2x2x1, 2x2x2, 2x2x4, 2x4x4 and A<=B<=C in multiples of 4 up to 6144 chips"},
    {.name = "tpu7x_1", .label = "tpu7x", .chips_per_vm = 1, .want = "1x1x1"},
    {.name = "tpu7_4",
     .label = "tpu7",
     .chips_per_vm = 4,
     .want = "2x2x1, 2x2x2, 2x2x4, 2x4x4 and A<=B<=C in multiples of 4 up to 256 chips"},
};
INSTANTIATE_TEST_SUITE_P(catalog, LegalShapes, testing::ValuesIn(legal), case_name);

struct Nearest {
  std::string_view name;
  std::string_view label;
  std::string_view text;
  std::string_view want = {};  // "" for none
};

class NearestTopology : public testing::TestWithParam<Nearest> {};

TEST_P(NearestTopology, is_what_was_meant) {
  const Generation& generation = *find_generation(GetParam().label);
  const auto dims = Dims::parse(GetParam().text);
  const auto nearest =
      dims ? nearest_topology(generation, *dims) : nearest_topology(generation, GetParam().text);
  EXPECT_EQ(nearest ? nearest->text() : "", GetParam().want);
}

const Nearest nearest_topologies[] = {
    {.name = "turned", .label = "tpu-v6e-slice", .text = "4x2", .want = "2x4"},
    {.name = "turned_cube", .label = "tpu-v5p-slice", .text = "8x4x4", .want = "4x4x8"},
    {.name = "turned_cube_of_several_with_as_many_chips",
     .label = "tpu-v5p-slice",
     .text = "12x8x4",
     .want = "4x8x12"},
    {.name = "turned_cube_of_several_rows",
     .label = "tpu-v5p-slice",
     .text = "16x4x16",
     .want = "4x16x16"},
    {.name = "as_many_chips", .label = "tpu-v6e-slice", .text = "2x8", .want = "4x4"},
    {.name = "type", .label = "tpu-v6e-slice", .text = "v6e-16", .want = "4x4"},
    {.name = "cores", .label = "tpu-v5p-slice", .text = "16", .want = "2x2x2"},
    {.name = "another_generation", .label = "tpu-v6e-slice", .text = "v5p-16"},
    {.name = "no_such_number", .label = "tpu-v6e-slice", .text = "6x6"},
};
INSTANTIATE_TEST_SUITE_P(catalog, NearestTopology, testing::ValuesIn(nearest_topologies),
                         case_name);

TEST(Catalog, sub_slice_shapes_are_the_files) {
  const json shapes = read_catalog()["rules"]["sub_slice_topologies"];
  ASSERT_EQ(shapes.size(), 13u);
  for (const json& shape : shapes) {
    EXPECT_TRUE(is_sub_slice_shape(*Dims::parse(shape.get<std::string>()))) << shape;
  }
}

TEST(Catalog, other_shapes_are_no_sub_slices) {
  // two axes where three are meant, turned, and the super-slices of tpu7x
  for (const Dims dims : {Dims(1, 1, 1), Dims(2, 2, 0), Dims(4, 2), Dims(2, 8), Dims(16, 32),
                          Dims(4, 4, 1), Dims(4, 8, 8), Dims(4, 12, 16), Dims()}) {
    EXPECT_FALSE(is_sub_slice_shape(dims)) << dims.text();
  }
}

}  // namespace
}  // namespace tpuwh::topology
