#include "topology/slice.hpp"
#include "topology/errc.hpp"

#include "tests/unit/topology/allocations.hpp"
#include "tests/unit/topology/catalog_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tpuwh::topology {
namespace {

using nlohmann::json;

std::string wrap_text(const std::array<bool, 3>& wrap) {
  const auto word = [](bool value) { return value ? "true" : "false"; };
  return std::string(word(wrap[0])) + ',' + word(wrap[1]) + ',' + word(wrap[2]);
}

// --- What a slice is ------------------------------------------------------------

// The axes that wrap.
constexpr std::string_view none = "false,false,false", second = "false,true,false",
                           first_two = "true,true,false", all = "true,true,true";

// A row of a test: the label, the topology and the chips of a container, then the expected hosts,
// accelerator type, chip bounds, host bounds, wraparound, and whether the catalog has the topology.
// The last two fields are the number of containers and the expected number of processes.
struct GoodSlice {
  std::string_view accelerator, dims;
  std::uint64_t chips;  // of a container
  std::uint32_t want_hosts;
  std::string_view want_type, want_chip_bounds, want_host_bounds, want_wrap = none;
  bool want_in_catalog = true;
  std::uint32_t containers = 1;
  std::uint32_t want_processes = 0;  // 0: as many as hosts
};

void expect_slice(const GoodSlice& c) {
  SCOPED_TRACE(std::string(c.accelerator) + ' ' + std::string(c.dims));
  const Dims dims = *Dims::parse(c.dims);
  const auto slice = make_slice({c.accelerator, dims, c.chips, c.containers});
  ASSERT_TRUE(slice) << slice.error().message();
  EXPECT_EQ(slice->accelerator, c.accelerator);
  EXPECT_EQ(slice->generation, find_generation(c.accelerator));
  EXPECT_EQ(slice->dims, dims);
  EXPECT_EQ(slice->chips, dims.chips());
  EXPECT_EQ(slice->chips_per_host, c.chips * c.containers);
  EXPECT_EQ(slice->hosts, c.want_hosts);
  EXPECT_EQ(slice->multi_host(), c.want_hosts > 1);
  EXPECT_EQ(slice->processes_per_host, c.containers);
  EXPECT_EQ(slice->processes, c.want_processes == 0 ? c.want_hosts : c.want_processes);
  EXPECT_EQ(slice->accelerator_type(), c.want_type);
  EXPECT_EQ(text(slice->chips_per_process_bounds()), c.want_chip_bounds);
  EXPECT_EQ(text(slice->host_bounds()), c.want_host_bounds);
  EXPECT_EQ(wrap_text(slice->wrap()), c.want_wrap);
  EXPECT_EQ(slice->in_catalog, c.want_in_catalog);
}

// These slices are not rows of the catalog. agrees_with_every_row_of_the_catalog tests its rows.
TEST(MakeSlice, computes) {
  for (const GoodSlice& each : std::initializer_list<GoodSlice>{
           // docs/facts.md#worked-examples
           {"tpu-v5p-slice", "16x16x24", 4, 1536, "v5p-12288", "2,2,1", "8,8,24", all},
           // docs/facts.md#host-bounds: a host has two containers of two chips, one per NUMA node
           {"tpu7x", "2x2x1", 2, 1, "tpu7x-8", "1,2,1", "2,1,1", none, true, 2, 2},
           {"tpu7x", "4x4x4", 2, 16, "tpu7x-128", "1,2,1", "4,2,4", all, true, 2, 32},
           {"tpu7x", "2x2x2", 1, 2, "tpu7x-16", "1,1,1", "2,2,2", none, true, 4, 8},
           {"tpu7", "4x8x8", 4, 64, "tpu7-512", "2,2,1", "2,4,8", all},
           // docs/facts.md#labels-to-come
           {"tpu8t", "4x4x4", 4, 16, "tpu8t-128", "2,2,1", "2,2,4", none, false},
           {"tpu10", "2x2", 4, 1, "tpu10-8", "2,2,1", "1,1,1", none, false},
           {"tpu8a", "2x2", 4, 1, "tpu8a-8", "2,2,1", "1,1,1", none, false},
           {"tpu8z", "2x2", 4, 1, "tpu8z-8", "2,2,1", "1,1,1", none, false},
           {"tpu8xl", "2x2", 4, 1, "", "2,2,1", "1,1,1", none, false},
           {"tpux", "2x2", 4, 1, "", "2,2,1", "1,1,1", none, false},
           {"tpu7x-standard-4t", "2x2x2", 4, 2, "", "2,2,1", "1,1,2", none, false},
           {"", "16x16", 4, 64, "", "2,2,1", "8,8,1", none, false},
           // The catalog does not have these shapes or chips, but the slices can be computed.
           {"tpu-v6e-slice", "2x8", 4, 4, "v6e-16", "2,2,1", "1,4,1", none, false},
           {"tpu-v3-slice", "4x4", 8, 2, "v3-32", "2,4,1", "2,1,1", none, false},
           {"tpu-v6e-slice", "3x3", 3, 3, "v6e-9", "0,0,0", "0,0,0", none, false},
           {"tpu-v6e-slice", "4x4", 16, 1, "v6e-16", "0,0,0", "0,0,0", none, false},
           {"tpu-v5p-slice", "16x20x28", 4, 2240, "v5p-17920", "2,2,1", "8,10,28", all},
           {"tpu-v6e-slice", "1024x1024", 1, 1048576, "v6e-1048576", "1,1,1", "1024,1024,1", none,
            false},
       })
    expect_slice(each);
}

// --- What is refused --------------------------------------------------------------

struct BadSlice {
  std::string_view accelerator, dims;
  std::uint64_t chips;
  ErrorCode want;
  std::string_view want_message;
  std::uint32_t containers = 1;
};

TEST(MakeSlice, refuses_with_numbers) {
  const BadSlice cases[] = {
      {"tpu-v6e-slice", "4x4x4", 4, Errc::dims_malformed,
       "topology 4x4x4 has 3 dimensions, but those of tpu-v6e-slice have 2; with 4 chips per node "
       "tpu-v6e-slice supports 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16"},
      {"tpu-v6e-slice", "2x2x1", 4, Errc::dims_malformed,
       "topology 2x2x1 has 3 dimensions, but those of tpu-v6e-slice have 2; with 4 chips per node "
       "tpu-v6e-slice supports 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16"},
      {"tpu-v6e-slice", "3x3", 4, Errc::chips_not_dividing,
       "topology 3x3 is 9 chips and cannot be split over Pods of 4 chips; with 4 chips per node "
       "tpu-v6e-slice supports 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16"},
      {"tpu-v6e-slice", "2x2", 8, Errc::chips_not_dividing,
       "topology 2x2 is 4 chips and cannot be split over Pods of 8 chips; with 8 chips per node "
       "tpu-v6e-slice supports 2x4"},
      {"tpu-v6e-slice", "4x4", 3, Errc::chips_not_dividing,
       "topology 4x4 is 16 chips and cannot be split over Pods of 3 chips; tpu-v6e-slice has nodes "
       "of 1, 4 or 8 chips"},
      {"tpu-v5p-slice", "3x5x7", 4, Errc::chips_not_dividing,
       "topology 3x5x7 is 105 chips and cannot be split over Pods of 4 chips; with 4 chips per "
       "node tpu-v5p-slice supports 2x2x1, 2x2x2, 2x2x4, 2x4x4 and A<=B<=C in multiples of 4 up to "
       "6144 chips"},
      {"tpu7x", "1x1x2", 2, Errc::chips_not_dividing,
       "topology 1x1x2 is 2 chips and cannot be split over Pods of 4 chips; with 4 chips per node "
       "tpu7x supports 2x2x1, 2x2x2, 2x2x4, 2x4x4 and A<=B<=C in multiples of 4 up to 9216 chips",
       2},
      {"tpu8t", "3x3", 4, Errc::chips_not_dividing,
       "topology 3x3 is 9 chips and cannot be split over Pods of 4 chips"},
      {"tpu-v4-podslice", "2x2x1", 8, Errc::chips_not_dividing,
       "topology 2x2x1 is 4 chips and cannot be split over Pods of 8 chips; tpu-v4-podslice has "
       "nodes of 4 chips"},

      {"tpu-v6e-slice", "4x2", 8, Errc::bounds_not_dividing,
       "axis 2 of topology 4x2 is not a multiple of 4 (8 chips form 2,4,1); with 8 chips per node "
       "tpu-v6e-slice supports 2x4"},
      {"tpu-v4-podslice", "1x2x2", 4, Errc::bounds_not_dividing,
       "axis 1 of topology 1x2x2 is not a multiple of 2 (4 chips form 2,2,1); with 4 chips per "
       "node tpu-v4-podslice supports 2x2x1, 2x2x2, 2x2x4, 2x4x4 and A<=B<=C in multiples of 4 up "
       "to 4096 chips"},
      {"", "4x1", 4, Errc::bounds_not_dividing,
       "axis 2 of topology 4x1 is not a multiple of 2 (4 chips form 2,2,1)"},

      {"tpu-v6e-slice", "2x2", 0, Errc::chips_invalid,
       "a TPU container must ask for at least 1 chip; tpu-v6e-slice has nodes of 1, 4 or 8 chips"},
      {"tpu-v6e-slice", "2x2", 4, Errc::chips_invalid, "no container of the Pod asks for TPU chips",
       0},
      {"tpu7x", "2x2x1", 4294967296, Errc::chips_invalid,
       "a container with 4294967296 chips, more than any node has; tpu7x has nodes of 1 or 4 "
       "chips"},
      {"", "2x2x1", 2147483648, Errc::chips_invalid,
       "2 containers, each with 2147483648 chips, more than any node has", 2},
      {"", "2x2x1", 18446744073709551615u, Errc::chips_invalid,
       "4294967295 containers, each with 18446744073709551615 chips, more than any node has",
       4294967295},
      {"", "2x2x1", 4294967295, Errc::chips_not_dividing,
       "topology 2x2x1 is 4 chips and cannot be split over Pods of 4294967295 chips"},
  };
  for (const BadSlice& c : cases) {
    const auto slice = make_slice({c.accelerator, *Dims::parse(c.dims), c.chips, c.containers});
    ASSERT_FALSE(slice);
    EXPECT_EQ(slice.error().code(), c.want);
    EXPECT_EQ(slice.error().message(), c.want_message);
    EXPECT_LE(slice.error().message().size(), 200u);
  }
}

// --- Against the catalog ----------------------------------------------------------

void expect_slice(const std::string& label, std::uint32_t chips_per_vm, const json& row) {
  SCOPED_TRACE(label + ' ' + row["topology"].get<std::string>());
  const auto dims = Dims::parse(row["topology"].get<std::string>());
  ASSERT_TRUE(dims) << dims.error().message();
  const auto slice = make_slice({label, *dims, chips_per_vm, 1});
  ASSERT_TRUE(slice) << slice.error().message();
  EXPECT_EQ(slice->chips, row["chips"]);
  EXPECT_EQ(slice->cores(), row["cores"]);
  EXPECT_EQ(slice->hosts, row["vms"]);
  EXPECT_EQ(slice->multi_host(), row["gke_multi_host"]);
  EXPECT_EQ(slice->accelerator_type(), row["accelerator_type"].get<std::string>());
  EXPECT_EQ(text(slice->chips_per_process_bounds()),
            row["chips_per_host_bounds"].get<std::string>());
  EXPECT_EQ(text(slice->host_bounds()), row["host_bounds"].get<std::string>());
  EXPECT_EQ(wrap_text(slice->wrap()), row["wrap"].get<std::string>());
  EXPECT_TRUE(slice->in_catalog);
}

TEST(Slice, agrees_with_every_row_of_the_catalog) {
  std::size_t rows = 0;
  const json catalog = read_catalog();
  for (const json& generation : catalog["generations"]) {
    for (const json& machine : generation["machine_types"]) {
      for (const json& row : machine["topologies"]) {
        expect_slice(generation["gke_accelerator_label"], machine["chips_per_vm"], row);
        ++rows;
      }
    }
  }
  EXPECT_EQ(rows, 256u);
}

TEST(Slice, has_the_catalogs_bounds_of_a_container) {
  const json table = read_catalog()["rules"]["chips_per_host_bounds"];
  const Dims divides_by_all(256, 256);
  for (std::uint64_t chips = 1; chips <= 64; ++chips) {
    const auto slice = make_slice({"", divides_by_all, chips, 1});
    if (!slice) continue;  // 3, 5, ...: no power of two
    EXPECT_EQ(text(slice->chips_per_process_bounds()), table.value(std::to_string(chips), "0,0,0"));
  }
}

TEST(Slice, names_the_other_machines_of_its_topology) {
  const auto others = [](std::uint64_t chips) {
    const auto slice = make_slice({"tpu-v6e-slice", Dims(2, 4), chips, 1});
    const auto& found = slice->other_chips;
    return std::vector<std::uint32_t>(found.chips.begin(), found.chips.begin() + found.size);
  };
  EXPECT_EQ(others(4), std::vector<std::uint32_t>{8});
  EXPECT_EQ(others(8), std::vector<std::uint32_t>{4});
}

// The product of the host bounds is what TPU_PROCESS_BOUNDS has to number.
TEST(Slice, host_bounds_multiply_to_processes) {
  for (const Generation& generation : generations()) {
    for (const MachineType& machine : generation.machine_types) {
      for (const Topology& row : machine.topologies) {
        for (const std::uint32_t containers : {1u, 2u, 4u}) {
          const std::uint32_t chips = machine.chips_per_vm / containers;
          if (chips == 0) continue;
          const auto slice = make_slice({generation.label, row.dims, chips, containers});
          ASSERT_TRUE(slice) << generation.label << ' ' << row.dims.text();
          const Bounds bounds = slice->host_bounds();
          EXPECT_EQ(bounds[0] * bounds[1] * bounds[2], slice->processes);
        }
      }
    }
  }
}

// A sentence for every legal label and number of chips fits a warning.
TEST(Slice, refusals_are_short_and_printable) {
  for (const Generation& generation : generations()) {
    for (const std::uint64_t chips : {1u, 2u, 4u, 8u, 4294967295u}) {
      for (const Dims dims :
           {Dims(1, 9, 25), Dims(1, 1048575), Dims(1, 16, 16), Dims(256, 1, 16)}) {
        const auto slice = make_slice({generation.label, dims, chips, 1});
        if (slice) continue;
        const std::string& message = slice.error().message();
        EXPECT_LE(message.size(), 200u) << message;
        EXPECT_TRUE(std::ranges::all_of(message, [](char c) { return c >= ' ' && c <= '~'; }));
      }
    }
  }
}

TEST(Slice, costs_no_allocation) {
  const SliceRequest requests[] = {
      {"tpu-v6e-slice", Dims(16, 16), 4, 1},
      {"tpu7x", Dims(16, 24, 24), 2, 2},
      {"tpu-v5p-slice", Dims(16, 20, 28), 4, 1},
      {"a label longer than any string keeps inside itself", Dims(2, 2), 4, 1},
  };
  for (const SliceRequest& request : requests) {
    const std::size_t before = allocations();
    const auto slice = make_slice(request);
    const std::size_t after = allocations();
    ASSERT_TRUE(slice);
    EXPECT_EQ(after, before) << request.accelerator;
  }
}

TEST(Slice, outlives_the_request_where_the_label_is_known) {
  std::string label = "tpu-v6e-slice";
  const auto slice = make_slice({label, Dims(4, 4), 4, 1});
  label.assign(label.size(), '?');
  EXPECT_EQ(slice->accelerator, "tpu-v6e-slice");
}

}  // namespace
}  // namespace tpuwh::topology
