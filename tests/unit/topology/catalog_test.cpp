#include "topology/catalog.hpp"

#include "tests/unit/topology/catalog_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::topology {
namespace {

using nlohmann::json;

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

TEST(Traits, are_those_of_the_row_that_a_label_spells) {
  const auto expect = [](std::string_view label, bool want) {
    const Traits& traits = traits_of(label);
    EXPECT_EQ(traits.shares_host(), want) << label;
    EXPECT_EQ(traits.ids_by_webhook, want) << label;
    EXPECT_EQ(traits.process_addresses, want) << label;
    EXPECT_EQ(traits.devices_per_chip, want ? 2u : 1u) << label;
  };
  // Each of these labels names a generation with such traits, or a machine type of such a
  // generation.
  for (const char* label :
       {"tpu7", "tpu7x", "tpu7x-standard-4t", "tpu7-standard-1t", "tpu7x-ultranet-4t"})
    expect(label, true);
  for (const char* label : {"tpu70", "tpu7e", "tpu7xl", "tpu8x", "tpu-v6e-slice", "tpu", ""})
    expect(label, false);
}

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

TEST(Shape, is_known_with_its_chips_per_vm) {
  struct {
    std::string_view label;
    Dims dims;
    std::vector<std::uint32_t> want;
  } const cases[] = {
      {"tpu-v6e-slice", Dims(2, 4), {4, 8}},
      {"tpu-v5-lite-podslice", Dims(2, 4), {4, 8}},
      {"tpu-v5-lite-device", Dims(2, 4), {8}},
      {"tpu-v6e-slice", Dims(1, 1), {1}},
      {"tpu-v6e-slice", Dims(16, 16), {4}},
      {"tpu-v6e-slice", Dims(2, 8), {}},
      {"tpu-v6e-slice", Dims(4, 2), {}},
      {"tpu-v6e-slice", Dims(2, 2, 1), {}},
      {"tpu-v3-slice", Dims(2, 2), {}},  // the device
      {"tpu-v4-podslice", Dims(1, 1, 1), {}},
      {"tpu-v4-podslice", Dims(2, 2, 4), {4}},
      {"tpu-v4-podslice", Dims(2, 4, 2), {}},
      {"tpu-v4-podslice", Dims(2, 2, 8), {}},
      {"tpu-v4-podslice", Dims(4, 12, 12), {4}},  // by the rule alone
      {"tpu-v4-podslice", Dims(4, 8, 4), {}},
      {"tpu-v4-podslice", Dims(16, 16, 16), {4}},
      {"tpu-v4-podslice", Dims(16, 16, 20), {}},
      {"tpu-v5p-slice", Dims(16, 20, 28), {4}},  // above the maximum, but a row
      {"tpu-v5p-slice", Dims(16, 16, 28), {}},
      {"tpu7x", Dims(1, 1, 1), {1}},
      {"tpu7x", Dims(2, 2, 1), {4}},
      {"tpu7x", Dims(4, 4, 576), {4}},
      {"tpu7", Dims(4, 8, 8), {4}},
      {"tpu7", Dims(8, 8, 8), {}},
  };
  for (const auto& [label, dims, want] : cases) {
    SCOPED_TRACE(std::string(label) + ' ' + dims.text());
    const Generation& generation = *find_generation(label);
    std::array<std::uint32_t, 4> out{};
    const std::size_t count = chips_per_vm_of(generation, dims, out);
    EXPECT_EQ(std::vector(out.begin(), out.begin() + count), want);
    for (const std::uint32_t chips : {1u, 2u, 4u, 8u})
      EXPECT_EQ(is_known(generation, dims, chips), std::ranges::count(want, chips) > 0) << chips;
  }
}

// Counts the shapes of docs/facts.md#large-shapes. All shapes of up to `max` chips are tried, not
// only those whose axes are multiples of 4.
TEST(CubeRule, allows_so_many_shapes) {
  const auto count = [](std::string_view label, std::uint32_t max) {
    const Generation& generation = *find_generation(label);
    std::size_t known = 0;
    for (std::uint32_t a = 3; a * 16 <= max; ++a)
      for (std::uint32_t b = 3; a * b * 4 <= max; ++b)
        for (std::uint32_t c = 3; a * b * c <= max; ++c)
          known += is_known(generation, Dims(a, b, c), 4) ? 1u : 0u;
    return known;
  };
  EXPECT_EQ(count("tpu-v4-podslice", 4096), 182u);
  EXPECT_EQ(count("tpu-v5p-slice", 6144), 306u);
  // The two further shapes are 12x24x24 and 16x20x28. Tools list them, although they are above the
  // documented maximum.
  EXPECT_EQ(count("tpu-v5p-slice", 8960), 308u);
  EXPECT_EQ(count("tpu7x", 9216), 516u);
  EXPECT_EQ(count("tpu7x", 9800), 516u);
  EXPECT_EQ(count("tpu7", 512), 5u);
  EXPECT_EQ(count("tpu-v6e-slice", 512), 0u);
}

TEST(LegalShapes, are_listed) {
  const auto shapes = [](std::string_view label, std::uint32_t chips_per_vm) {
    return legal_shapes(*find_generation(label), chips_per_vm);
  };
  EXPECT_EQ(shapes("tpu-v6e-slice", 4), "2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16");
  EXPECT_EQ(shapes("tpu-v6e-slice", 8), "2x4");
  EXPECT_EQ(shapes("tpu-v6e-slice", 3), "");
  EXPECT_EQ(shapes("tpu7x", 1), "1x1x1");
  EXPECT_EQ(shapes("tpu7", 4),
            "2x2x1, 2x2x2, 2x2x4, 2x4x4 and A<=B<=C in multiples of 4 up to 256 chips");
}

TEST(NearestTopology, is_what_was_meant) {
  const auto nearest = [](std::string_view label, std::string_view text) {
    const Generation& generation = *find_generation(label);
    const auto dims = Dims::parse(text);
    const auto found =
        dims ? nearest_topology(generation, *dims) : nearest_topology(generation, text);
    return found ? found->text() : "";
  };
  EXPECT_EQ(nearest("tpu-v6e-slice", "4x2"), "2x4");
  EXPECT_EQ(nearest("tpu-v5p-slice", "8x4x4"), "4x4x8");
  EXPECT_EQ(nearest("tpu-v5p-slice", "12x8x4"), "4x8x12") << "the same axes in ascending order";
  EXPECT_EQ(nearest("tpu-v5p-slice", "16x4x16"), "4x16x16")
      << "the same axes, and not 8x8x16, a row with the same number of chips";
  EXPECT_EQ(nearest("tpu-v6e-slice", "2x8"), "4x4") << "a row with the same number of chips";
  EXPECT_EQ(nearest("tpu-v6e-slice", "v6e-16"), "4x4");
  EXPECT_EQ(nearest("tpu-v5p-slice", "16"), "2x2x2") << "cores";
  EXPECT_EQ(nearest("tpu-v6e-slice", "v5p-16"), "");
  EXPECT_EQ(nearest("tpu-v6e-slice", "6x6"), "");
}

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
