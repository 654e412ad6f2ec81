#include "topology/slice.hpp"
#include "topology/errc.hpp"

#include "tests/support/named_case.hpp"
#include "tests/unit/topology/allocations.hpp"
#include "tests/unit/topology/catalog_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>

namespace tpuwh::topology {
namespace {

using nlohmann::json;
using test::case_name;

std::string wrap_text(const std::array<bool, 3>& wrap) {
  const auto word = [](bool value) { return value ? "true" : "false"; };
  return std::string(word(wrap[0])) + ',' + word(wrap[1]) + ',' + word(wrap[2]);
}

// --- What a slice is ------------------------------------------------------------

struct GoodSlice {
  std::string_view name;
  std::string_view accelerator;
  std::string_view dims;
  std::uint64_t chips;  // of a container
  std::uint32_t containers = 1;
  std::uint32_t want_hosts;
  std::uint32_t want_processes = 0;  // 0: as many as hosts
  std::string_view want_type;
  std::string_view want_chip_bounds;
  std::string_view want_host_bounds;
  std::string_view want_wrap = "false,false,false";
  bool want_in_catalog = true;
};
void PrintTo(const GoodSlice& c, std::ostream* out) {
  *out << c.name;
}

class MakeSlice : public testing::TestWithParam<GoodSlice> {};

TEST_P(MakeSlice, computes) {
  const GoodSlice& c = GetParam();
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

// docs/facts.md#worked-examples.
constexpr GoodSlice worked_examples[] = {
    {.name = "v4_2x2x1",
     .accelerator = "tpu-v4-podslice",
     .dims = "2x2x1",
     .chips = 4,
     .want_hosts = 1,
     .want_type = "v4-8",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "1,1,1"},
    {.name = "v4_2x2x4",
     .accelerator = "tpu-v4-podslice",
     .dims = "2x2x4",
     .chips = 4,
     .want_hosts = 4,
     .want_type = "v4-32",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "1,1,4"},
    {.name = "v4_4x4x8",
     .accelerator = "tpu-v4-podslice",
     .dims = "4x4x8",
     .chips = 4,
     .want_hosts = 32,
     .want_type = "v4-256",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "2,2,8",
     .want_wrap = "true,true,true"},
    {.name = "v5e_1x1",
     .accelerator = "tpu-v5-lite-podslice",
     .dims = "1x1",
     .chips = 1,
     .want_hosts = 1,
     .want_type = "v5litepod-1",
     .want_chip_bounds = "1,1,1",
     .want_host_bounds = "1,1,1"},
    {.name = "v5e_2x4_one_vm",
     .accelerator = "tpu-v5-lite-podslice",
     .dims = "2x4",
     .chips = 8,
     .want_hosts = 1,
     .want_type = "v5litepod-8",
     .want_chip_bounds = "2,4,1",
     .want_host_bounds = "1,1,1"},
    {.name = "v5e_2x4_two_vms",
     .accelerator = "tpu-v5-lite-podslice",
     .dims = "2x4",
     .chips = 4,
     .want_hosts = 2,
     .want_type = "v5litepod-8",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "1,2,1"},
    {.name = "v5e_8x16",
     .accelerator = "tpu-v5-lite-podslice",
     .dims = "8x16",
     .chips = 4,
     .want_hosts = 32,
     .want_type = "v5litepod-128",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "4,8,1",
     .want_wrap = "false,true,false"},
    {.name = "v5p_2x2x2",
     .accelerator = "tpu-v5p-slice",
     .dims = "2x2x2",
     .chips = 4,
     .want_hosts = 2,
     .want_type = "v5p-16",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "1,1,2"},
    {.name = "v5p_16x16x24",
     .accelerator = "tpu-v5p-slice",
     .dims = "16x16x24",
     .chips = 4,
     .want_hosts = 1536,
     .want_type = "v5p-12288",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "8,8,24",
     .want_wrap = "true,true,true"},
    {.name = "v6e_4x4",
     .accelerator = "tpu-v6e-slice",
     .dims = "4x4",
     .chips = 4,
     .want_hosts = 4,
     .want_type = "v6e-16",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "2,2,1"},
    {.name = "v6e_16x16",
     .accelerator = "tpu-v6e-slice",
     .dims = "16x16",
     .chips = 4,
     .want_hosts = 64,
     .want_type = "v6e-256",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "8,8,1",
     .want_wrap = "true,true,false"},
    {.name = "tpu7x_1x1x1",
     .accelerator = "tpu7x",
     .dims = "1x1x1",
     .chips = 1,
     .want_hosts = 1,
     .want_type = "tpu7x-2",
     .want_chip_bounds = "1,1,1",
     .want_host_bounds = "1,1,1"},
    {.name = "tpu7x_2x2x4",
     .accelerator = "tpu7x",
     .dims = "2x2x4",
     .chips = 4,
     .want_hosts = 4,
     .want_type = "tpu7x-32",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "1,1,4"},
    {.name = "tpu7x_4x4x4",
     .accelerator = "tpu7x",
     .dims = "4x4x4",
     .chips = 4,
     .want_hosts = 16,
     .want_type = "tpu7x-128",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "2,2,4",
     .want_wrap = "true,true,true"},
    {.name = "v3_4x8",
     .accelerator = "tpu-v3-slice",
     .dims = "4x8",
     .chips = 4,
     .want_hosts = 8,
     .want_type = "v3-64",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "2,4,1"},
};
INSTANTIATE_TEST_SUITE_P(worked_examples, MakeSlice, testing::ValuesIn(worked_examples), case_name);

constexpr GoodSlice edges[] = {
    // docs/facts.md#host-bounds: two containers of two chips each, one per NUMA node
    {.name = "tpu7x_two_containers_one_host",
     .accelerator = "tpu7x",
     .dims = "2x2x1",
     .chips = 2,
     .containers = 2,
     .want_hosts = 1,
     .want_processes = 2,
     .want_type = "tpu7x-8",
     .want_chip_bounds = "1,2,1",
     .want_host_bounds = "2,1,1"},
    {.name = "tpu7x_two_containers_many_hosts",
     .accelerator = "tpu7x",
     .dims = "4x4x4",
     .chips = 2,
     .containers = 2,
     .want_hosts = 16,
     .want_processes = 32,
     .want_type = "tpu7x-128",
     .want_chip_bounds = "1,2,1",
     .want_host_bounds = "4,2,4",
     .want_wrap = "true,true,true"},
    {.name = "tpu7x_four_containers",
     .accelerator = "tpu7x",
     .dims = "2x2x2",
     .chips = 1,
     .containers = 4,
     .want_hosts = 2,
     .want_processes = 8,
     .want_type = "tpu7x-16",
     .want_chip_bounds = "1,1,1",
     .want_host_bounds = "2,2,2"},
    {.name = "tpu7_like_tpu7x",
     .accelerator = "tpu7",
     .dims = "4x8x8",
     .chips = 4,
     .want_hosts = 64,
     .want_type = "tpu7-512",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "2,4,8",
     .want_wrap = "true,true,true"},
    {.name = "v6e_2x4_one_vm",
     .accelerator = "tpu-v6e-slice",
     .dims = "2x4",
     .chips = 8,
     .want_hosts = 1,
     .want_type = "v6e-8",
     .want_chip_bounds = "2,4,1",
     .want_host_bounds = "1,1,1"},
    {.name = "v5e_device",
     .accelerator = "tpu-v5-lite-device",
     .dims = "2x4",
     .chips = 8,
     .want_hosts = 1,
     .want_type = "v5lite-8",
     .want_chip_bounds = "2,4,1",
     .want_host_bounds = "1,1,1"},
    // docs/facts.md#labels-to-come
    {.name = "tpu8t_has_no_wrap",
     .accelerator = "tpu8t",
     .dims = "4x4x4",
     .chips = 4,
     .want_hosts = 16,
     .want_type = "tpu8t-128",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "2,2,4",
     .want_in_catalog = false},
    {.name = "tpu10",
     .accelerator = "tpu10",
     .dims = "2x2",
     .chips = 4,
     .want_hosts = 1,
     .want_type = "tpu10-8",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "1,1,1",
     .want_in_catalog = false},
    {.name = "label_of_two_letters",
     .accelerator = "tpu8xl",
     .dims = "2x2",
     .chips = 4,
     .want_hosts = 1,
     .want_type = "",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "1,1,1",
     .want_in_catalog = false},
    {.name = "label_without_digits",
     .accelerator = "tpux",
     .dims = "2x2",
     .chips = 4,
     .want_hosts = 1,
     .want_type = "",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "1,1,1",
     .want_in_catalog = false},
    {.name = "machine_type_as_label",
     .accelerator = "tpu7x-standard-4t",
     .dims = "2x2x2",
     .chips = 4,
     .want_hosts = 2,
     .want_type = "",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "1,1,2",
     .want_in_catalog = false},
    {.name = "no_label",
     .accelerator = "",
     .dims = "16x16",
     .chips = 4,
     .want_hosts = 64,
     .want_type = "",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "8,8,1",
     .want_in_catalog = false},
    // shapes and numbers of chips the catalog lacks, where the arithmetic works
    {.name = "v6e_2x8_is_no_error",
     .accelerator = "tpu-v6e-slice",
     .dims = "2x8",
     .chips = 4,
     .want_hosts = 4,
     .want_type = "v6e-16",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "1,4,1",
     .want_in_catalog = false},
    {.name = "v3_eight_chips",
     .accelerator = "tpu-v3-slice",
     .dims = "4x4",
     .chips = 8,
     .want_hosts = 2,
     .want_type = "v3-32",
     .want_chip_bounds = "2,4,1",
     .want_host_bounds = "2,1,1",
     .want_in_catalog = false},
    {.name = "three_chips",
     .accelerator = "tpu-v6e-slice",
     .dims = "3x3",
     .chips = 3,
     .want_hosts = 3,
     .want_type = "v6e-9",
     .want_chip_bounds = "0,0,0",
     .want_host_bounds = "0,0,0",
     .want_in_catalog = false},
    {.name = "sixteen_chips",
     .accelerator = "tpu-v6e-slice",
     .dims = "4x4",
     .chips = 16,
     .want_hosts = 1,
     .want_type = "v6e-16",
     .want_chip_bounds = "0,0,0",
     .want_host_bounds = "0,0,0",
     .want_in_catalog = false},
    {.name = "v5p_beyond_documented_maximum",
     .accelerator = "tpu-v5p-slice",
     .dims = "16x20x28",
     .chips = 4,
     .want_hosts = 2240,
     .want_type = "v5p-17920",
     .want_chip_bounds = "2,2,1",
     .want_host_bounds = "8,10,28",
     .want_wrap = "true,true,true"},
    {.name = "largest_that_parses",
     .accelerator = "tpu-v6e-slice",
     .dims = "1024x1024",
     .chips = 1,
     .want_hosts = 1048576,
     .want_type = "v6e-1048576",
     .want_chip_bounds = "1,1,1",
     .want_host_bounds = "1024,1024,1",
     .want_in_catalog = false},
};
INSTANTIATE_TEST_SUITE_P(edges, MakeSlice, testing::ValuesIn(edges), case_name);

// --- What is refused --------------------------------------------------------------

struct BadSlice {
  std::string_view name;
  std::string_view accelerator;
  std::string_view dims;
  std::uint64_t chips;
  std::uint32_t containers = 1;
  ErrorCode want;
  std::string_view want_message;
};
void PrintTo(const BadSlice& c, std::ostream* out) {
  *out << c.name;
}

class MakeSliceRefuses : public testing::TestWithParam<BadSlice> {};

TEST_P(MakeSliceRefuses, with_numbers) {
  const BadSlice& c = GetParam();
  const auto slice = make_slice({c.accelerator, *Dims::parse(c.dims), c.chips, c.containers});
  ASSERT_FALSE(slice);
  EXPECT_EQ(slice.error().code(), c.want);
  EXPECT_EQ(slice.error().message(), c.want_message);
  EXPECT_LE(slice.error().message().size(), 200u);
}

constexpr BadSlice bad_slices[] = {
    {.name = "v6e_3x3",
     .accelerator = "tpu-v6e-slice",
     .dims = "3x3",
     .chips = 4,
     .want = Errc::chips_not_dividing,
     .want_message = "topology 3x3 is 9 chips and cannot be split over Pods of 4 chips; "
                     "with 4 chips per node tpu-v6e-slice supports "
                     "2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16"},
    {.name = "more_chips_than_slice",
     .accelerator = "tpu-v6e-slice",
     .dims = "2x2",
     .chips = 8,
     .want = Errc::chips_not_dividing,
     .want_message = "topology 2x2 is 4 chips and cannot be split over Pods of 8 chips; "
                     "with 8 chips per node tpu-v6e-slice supports 2x4"},
    {.name = "three_chips",
     .accelerator = "tpu-v6e-slice",
     .dims = "4x4",
     .chips = 3,
     .want = Errc::chips_not_dividing,
     .want_message = "topology 4x4 is 16 chips and cannot be split over Pods of 3 chips; "
                     "tpu-v6e-slice has nodes of 1, 4 or 8 chips"},
    {.name = "by_rule",
     .accelerator = "tpu-v5p-slice",
     .dims = "3x5x7",
     .chips = 4,
     .want = Errc::chips_not_dividing,
     .want_message = "topology 3x5x7 is 105 chips and cannot be split over Pods of 4 chips; "
                     "with 4 chips per node tpu-v5p-slice supports 2x2x1, 2x2x2, 2x2x4, 2x4x4 "
                     "and A<=B<=C in multiples of 4 up to 6144 chips"},
    {.name = "two_containers",
     .accelerator = "tpu7x",
     .dims = "1x1x2",
     .chips = 2,
     .containers = 2,
     .want = Errc::chips_not_dividing,
     .want_message = "topology 1x1x2 is 2 chips and cannot be split over Pods of 4 chips; "
                     "with 4 chips per node tpu7x supports 2x2x1, 2x2x2, 2x2x4, 2x4x4 "
                     "and A<=B<=C in multiples of 4 up to 9216 chips"},
    {.name = "unknown_label",
     .accelerator = "tpu8t",
     .dims = "3x3",
     .chips = 4,
     .want = Errc::chips_not_dividing,
     .want_message = "topology 3x3 is 9 chips and cannot be split over Pods of 4 chips"},
    {.name = "single_node_size",
     .accelerator = "tpu-v4-podslice",
     .dims = "2x2x1",
     .chips = 8,
     .want = Errc::chips_not_dividing,
     .want_message = "topology 2x2x1 is 4 chips and cannot be split over Pods of 8 chips; "
                     "tpu-v4-podslice has nodes of 4 chips"},

    {.name = "turned",
     .accelerator = "tpu-v6e-slice",
     .dims = "4x2",
     .chips = 8,
     .want = Errc::bounds_not_dividing,
     .want_message = "axis 2 of topology 4x2 is not a multiple of 4 (8 chips form 2,4,1); "
                     "with 8 chips per node tpu-v6e-slice supports 2x4"},
    {.name = "first_axis",
     .accelerator = "tpu-v4-podslice",
     .dims = "1x2x2",
     .chips = 4,
     .want = Errc::bounds_not_dividing,
     .want_message = "axis 1 of topology 1x2x2 is not a multiple of 2 (4 chips form 2,2,1); "
                     "with 4 chips per node tpu-v4-podslice supports 2x2x1, 2x2x2, 2x2x4, 2x4x4 "
                     "and A<=B<=C in multiples of 4 up to 4096 chips"},
    {.name = "bounds_without_label",
     .accelerator = "",
     .dims = "4x1",
     .chips = 4,
     .want = Errc::bounds_not_dividing,
     .want_message = "axis 2 of topology 4x1 is not a multiple of 2 (4 chips form 2,2,1)"},

    {.name = "no_chips",
     .accelerator = "tpu-v6e-slice",
     .dims = "2x2",
     .chips = 0,
     .want = Errc::chips_invalid,
     .want_message = "a TPU container must ask for at least 1 chip; "
                     "tpu-v6e-slice has nodes of 1, 4 or 8 chips"},
    {.name = "no_containers",
     .accelerator = "tpu-v6e-slice",
     .dims = "2x2",
     .chips = 4,
     .containers = 0,
     .want = Errc::chips_invalid,
     .want_message = "no container of the Pod asks for TPU chips"},
    {.name = "above_32_bits",
     .accelerator = "tpu7x",
     .dims = "2x2x1",
     .chips = 4294967296,
     .want = Errc::chips_invalid,
     .want_message = "a container with 4294967296 chips, more than any node has; "
                     "tpu7x has nodes of 1 or 4 chips"},
    {.name = "sum_above_32_bits",
     .accelerator = "",
     .dims = "2x2x1",
     .chips = 2147483648,
     .containers = 2,
     .want = Errc::chips_invalid,
     .want_message = "2 containers, each with 2147483648 chips, more than any node has"},
    {.name = "product_of_64_bits",
     .accelerator = "",
     .dims = "2x2x1",
     .chips = 18446744073709551615u,
     .containers = 4294967295,
     .want = Errc::chips_invalid,
     .want_message =
         "4294967295 containers, each with 18446744073709551615 chips, more than any node has"},
    {.name = "exactly_32_bits_do_not_divide",
     .accelerator = "",
     .dims = "2x2x1",
     .chips = 4294967295,
     .want = Errc::chips_not_dividing,
     .want_message = "topology 2x2x1 is 4 chips and cannot be split over Pods of 4294967295 chips"},
};
INSTANTIATE_TEST_SUITE_P(bad, MakeSliceRefuses, testing::ValuesIn(bad_slices), case_name);

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
  EXPECT_EQ(slice->accelerator_type(), row["accelerator_type"]);
  EXPECT_EQ(text(slice->chips_per_process_bounds()), row["chips_per_host_bounds"]);
  EXPECT_EQ(text(slice->host_bounds()), row["host_bounds"]);
  EXPECT_EQ(wrap_text(slice->wrap()), row["wrap"]);
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
