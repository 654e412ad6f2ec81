#include "kubectl/reference/catalog/find_pools.hpp"

#include "tests/support/named_case.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::catalog {
namespace {

using test::case_name;
using test::PrintTo;

struct Bad {
  std::string_view name;
  std::string_view accelerator;
  std::string_view topology;
  std::optional<std::uint32_t> chips = {};
  std::string_view want;
};

class FindPoolsRefuses : public testing::TestWithParam<Bad> {};

TEST_P(FindPoolsRefuses, with_the_numbers) {
  const Bad& c = GetParam();
  const auto pools = find_pools(*find_accelerator(c.accelerator), c.topology, c.chips);
  ASSERT_FALSE(pools);
  EXPECT_EQ(pools.error().message(), c.want);
}

constexpr auto v6e_shapes =
    "1x1 (1 chip per node); 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16 (4 chips per node); 2x4 (8 chips "
    "per node)";

const std::string no_3x3 =
    std::string("3x3 (9 chips) is not a topology of tpu-v6e-slice. Supported: ") + v6e_shapes;
const std::string no_4x2 = std::string(
                               "4x2 (8 chips) is not a topology of tpu-v6e-slice, whose axes must "
                               "ascend; did you mean \"2x4\"? "
                               "Supported: ") +
                           v6e_shapes;
const std::string no_2x2x1 =
    std::string(
        "2x2x1 (4 chips) is not a topology of tpu-v6e-slice, whose topologies have 2 "
        "dimensions. Supported: ") +
    v6e_shapes;

const Bad bad[] = {
    {.name = "no_such_topology", .accelerator = "v6e", .topology = "3x3", .want = no_3x3},
    {.name = "number_of_an_accelerator_type",
     .accelerator = "v6e",
     .topology = "16",
     .want = "topology \"16\" is not AxB; v6e-16 is 4x4"},
    {.name = "number_of_cores_two_on_a_chip",
     .accelerator = "v5p",
     .topology = "16",
     .want =
         "topology \"16\" is not AxBxC; v5p-16 (2 TensorCores on a chip) is 2x2x2; 16 chips are "
         "2x2x4 (v5p-32)"},
    {.name = "number_of_no_accelerator_type",
     .accelerator = "v6e",
     .topology = "17",
     .want = "topology \"17\" is not AxB; no listed topology is v6e-17"},
    {.name = "turned", .accelerator = "v6e", .topology = "4x2", .want = no_4x2},
    {.name = "one_axis_too_many", .accelerator = "v6e", .topology = "2x2x1", .want = no_2x2x1},
    {.name = "one_axis_too_many_with_chips",
     .accelerator = "v6e",
     .topology = "2x2x1",
     .chips = 4,
     .want = no_2x2x1},
    {.name = "turned_in_three_dimensions",
     .accelerator = "v5p",
     .topology = "4x2x2",
     .want = "4x2x2 (16 chips) is not a topology of tpu-v5p-slice, whose axes must ascend; did you "
             "mean "
             "\"2x2x4\"? Supported: 2x2x1, 2x2x2, 2x2x4, 2x4x4 and A<=B<=C in multiples of 4 up to "
             "6144 chips (4 chips per node)"},
    {.name = "no_topology_at_all",
     .accelerator = "v6e",
     .topology = "four",
     .want = "topology \"four\" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2"},
    {.name = "not_the_cores_of_the_type",
     .accelerator = "v5p-16",
     .topology = "2x2x4",
     .want = "2x2x4 is v5p-32, not v5p-16"},
    {.name = "not_the_chips_of_the_machine_type",
     .accelerator = "ct6e-standard-8t",
     .topology = "2x4",
     .chips = 4,
     .want = "ct6e-standard-8t has 8 chips, not 4"},
    {.name = "not_of_the_machine_type",
     .accelerator = "ct6e-standard-8t",
     .topology = "4x4",
     .want = "4x4 of tpu-v6e-slice is not made of nodes of 8 chips, which support 2x4; 4x4 is made "
             "of 4 nodes of 4 chips (ct6e-standard-4t)"},
};
INSTANTIATE_TEST_SUITE_P(Cases, FindPoolsRefuses, testing::ValuesIn(bad), case_name);

TEST(FindPools, takes_the_machine_type_that_was_named) {
  const auto pools = find_pools(*find_accelerator("tpu7x-ultranet-4t"), "2x2x2", {});
  ASSERT_TRUE(pools);
  ASSERT_EQ(pools->size(), 1u);
  EXPECT_EQ(pools->front().machine->name, "tpu7x-ultranet-4t");
}

TEST(TopologiesWith, are_those_of_an_accelerator_type) {
  const auto& v4 = *topology::find_generation("tpu-v4-podslice");
  EXPECT_EQ(topologies_with(v4, 512).size(), 2u);  // 4x4x16 and 4x8x8
  EXPECT_EQ(topologies_with(*topology::find_generation("tpu-v6e-slice"), 8).size(), 1u);
  EXPECT_TRUE(topologies_with(v4, 7).empty());
}

}  // namespace
}  // namespace tpuwh::server::catalog
