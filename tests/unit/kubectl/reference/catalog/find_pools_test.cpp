#include "kubectl/reference/catalog/find_pools.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::catalog {
namespace {

constexpr auto v6e_shapes =
    "1x1 (1 chip per node); 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16 (4 chips per node); 2x4 (8 chips "
    "per node)";

const std::string no_3x3 =
    std::string("3x3 (9 chips) is not a topology of tpu-v6e-slice. Supported: ") + v6e_shapes;
const std::string no_4x2 = std::string(
                               "4x2 (8 chips) is not a topology of tpu-v6e-slice, whose axes must "
                               "ascend; did you mean \"2x4\"? Supported: ") +
                           v6e_shapes;
const std::string no_2x2x1 = std::string(
                                 "2x2x1 (4 chips) is not a topology of tpu-v6e-slice, whose "
                                 "topologies have 2 dimensions. Supported: ") +
                             v6e_shapes;

TEST(FindPoolsRefuses, with_the_numbers) {
  const struct {
    std::string_view accelerator, topology, want;
    std::optional<std::uint32_t> chips = {};
  } cases[] = {
      {"v6e", "3x3", no_3x3},
      {"v6e", "16", "topology \"16\" is not AxB; v6e-16 is 4x4"},
      {"v6e", "17", "topology \"17\" is not AxB; no listed topology is v6e-17"},
      {"v6e", "4x2", no_4x2},
      {"v6e", "2x2x1", no_2x2x1},
      {"v6e", "2x2x1", no_2x2x1, 4},
      {"v6e", "four",
       "topology \"four\" is not AxB or AxBxC in whole numbers, such as 2x4 or 2x2x2"},
      {"v5p-16", "2x2x4", "2x2x4 is v5p-32, not v5p-16"},
      {"ct6e-standard-8t", "2x4", "ct6e-standard-8t has 8 chips, not 4", 4},
      {"ct6e-standard-8t", "4x4",
       "4x4 of tpu-v6e-slice is not made of nodes of 8 chips, which support 2x4; 4x4 is made "
       "of 4 nodes of 4 chips (ct6e-standard-4t)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.want);
    const auto pools = find_pools(*find_accelerator(c.accelerator), c.topology, c.chips);
    ASSERT_FALSE(pools);
    EXPECT_EQ(pools.error().message(), c.want);
  }
}

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
