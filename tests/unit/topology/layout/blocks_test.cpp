#include "topology/layout/blocks.hpp"
#include "base/result.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tests/support/named_case.hpp"
#include "tests/unit/topology/catalog_file.hpp"

namespace tpuwh::topology::layout {
namespace {

using test::case_name;
using test::PrintTo;

const Generation& tpu7x_row() {
  return *find_generation("tpu7x");
}

struct MadeOf {
  std::string_view name;
  Dims slice;
  Bounds along = {1, 1, 1};
  std::uint32_t per_block = 1;
};

class DynamicSlice : public testing::TestWithParam<MadeOf> {};

TEST_P(DynamicSlice, is_made_of_blocks) {
  const auto blocks = blocks_of(tpu7x_row(), GetParam().slice);
  ASSERT_TRUE(blocks) << blocks.error().message();
  EXPECT_EQ(blocks->block, Dims(4, 4, 4));
  EXPECT_EQ(blocks->nodes, 16u);
  EXPECT_EQ(blocks->along, GetParam().along);
  EXPECT_EQ(blocks->per_block, GetParam().per_block);
}

const MadeOf dynamic_slices[] = {
    {.name = "one_block", .slice = {4, 4, 4}},
    {.name = "of_the_samples", .slice = {4, 12, 16}, .along = {1, 3, 4}},
    {.name = "the_largest", .slice = {16, 24, 24}, .along = {4, 6, 6}},
    {.name = "one_node", .slice = {2, 2, 1}, .per_block = 16},
    {.name = "two_nodes", .slice = {2, 2, 2}, .per_block = 8},
    {.name = "four_nodes", .slice = {2, 2, 4}, .per_block = 4},
    {.name = "half_a_block", .slice = {2, 4, 4}, .per_block = 2},
};
INSTANTIATE_TEST_SUITE_P(Cases, DynamicSlice, testing::ValuesIn(dynamic_slices), case_name);

TEST(Blocks, of_several_slices) {
  const auto large = *blocks_of(tpu7x_row(), Dims(4, 12, 16));
  EXPECT_EQ(large.count(), 12u);
  EXPECT_FALSE(large.shared());
  EXPECT_EQ(large.count_for(2), 24u);
  const auto small = *blocks_of(tpu7x_row(), Dims(2, 2, 2));
  EXPECT_TRUE(small.shared());
  EXPECT_EQ(small.count_for(1), 1u);
  EXPECT_EQ(small.count_for(8), 1u);
  EXPECT_EQ(small.count_for(9), 2u);
}

struct NotMadeOf {
  std::string_view name;
  std::string_view label = "tpu7x";
  Dims slice;
  std::string_view want;
};

class NoDynamicSlice : public testing::TestWithParam<NotMadeOf> {};

TEST_P(NoDynamicSlice, says_what_would_be) {
  const auto blocks = blocks_of(*find_generation(GetParam().label), GetParam().slice);
  ASSERT_FALSE(blocks);
  EXPECT_EQ(blocks.error().code(), base::Errc::bad_value);
  EXPECT_EQ(blocks.error().message(), GetParam().want);
}

const NotMadeOf no_dynamic_slices[] = {
    {.name = "of_an_older_generation",
     .label = "tpu-v5p-slice",
     .slice = {4, 4, 4},
     .want = "4x4x4 is not a dynamic slice: only tpu7x has dynamic slicing, tpu-v5p-slice has node "
             "pools of fixed topologies"},
    {.name = "of_its_small_sister",
     .label = "tpu7",
     .slice = {4, 4, 4},
     .want = "4x4x4 is not a dynamic slice: only tpu7x has dynamic slicing, tpu7 has node pools of "
             "fixed topologies"},
    {.name = "of_two_dimensions",
     .slice = {4, 4},
     .want = "4x4 is not a dynamic slice: it has three dimensions, such as 4x4x4"},
    {.name = "of_other_multiples",
     .slice = {4, 6, 8},
     .want =
         "4x6x8 is not a dynamic slice: each dimension is a multiple of 4 (blocks of 4x4x4), or "
         "the slice is a part of one block: 2x2x1, 2x2x2, 2x2x4, 2x4x4; did you mean 4x8x8?"},
    {.name = "of_one_chip",
     .slice = {1, 1, 1},
     .want =
         "1x1x1 is not a dynamic slice: each dimension is a multiple of 4 (blocks of 4x4x4), or "
         "the slice is a part of one block: 2x2x1, 2x2x2, 2x2x4, 2x4x4; did you mean 4x4x4?"},
    {.name = "below_the_largest",
     .slice = {16, 23, 24},
     .want =
         "16x23x24 is not a dynamic slice: each dimension is a multiple of 4 (blocks of 4x4x4), "
         "or the slice is a part of one block: 2x2x1, 2x2x2, 2x2x4, 2x4x4; did you mean "
         "16x24x24?"},
    {.name = "that_decreases",
     .slice = {4, 16, 12},
     .want = "4x16x12 is not a dynamic slice: no dimension is smaller than the one before it; did "
             "you mean 4x12x16?"},
    {.name = "above_the_largest",
     .slice = {16, 24, 28},
     .want = "16x24x28 is not a dynamic slice: 10752 chips are more than the 9216 of the largest "
             "slice of tpu7x"},
};
INSTANTIATE_TEST_SUITE_P(Cases, NoDynamicSlice, testing::ValuesIn(no_dynamic_slices), case_name);

TEST(Blocks, are_those_of_the_catalogs_file) {
  const auto catalog = read_catalog();
  for (const auto& row : catalog.at("generations")) {
    const auto& label = row.at("gke_accelerator_label").get_ref<const std::string&>();
    const auto blocks = blocks_of(*find_generation(label), Dims(4, 4, 4));
    ASSERT_EQ(row.contains("dynamic_slicing"), blocks.has_value()) << label;
    if (!blocks) continue;
    const auto& said = row.at("dynamic_slicing");
    EXPECT_EQ(said.at("sub_block").at("topology"), blocks->block.text());
    EXPECT_EQ(said.at("sub_block").at("nodes"), blocks->nodes);
    EXPECT_EQ(said.at("super_slice").at("max_chips"), tpu7x_row().max_slice_chips);
    for (const auto& part : said.at("sub_slice").at("topologies")) {
      const auto shared = blocks_of(tpu7x_row(), *Dims::parse(part.get<std::string>()));
      EXPECT_TRUE(shared && shared->shared()) << part;
    }
  }
}

// Wherever a large shape of tpu7x is legal, it is one of blocks with as many nodes.
TEST(Blocks, have_the_nodes_of_the_slice) {
  for (std::uint32_t a = 4; a <= 16; a += 4) {
    for (std::uint32_t b = a; b <= 24; b += 4) {
      for (std::uint32_t c = b; a * b * c <= tpu7x_row().max_slice_chips; c += 4) {
        const auto blocks = blocks_of(tpu7x_row(), Dims(a, b, c));
        ASSERT_TRUE(blocks && is_known(tpu7x_row(), Dims(a, b, c), 4));
        EXPECT_EQ(blocks->count() * blocks->nodes, a * b * c / 4);
      }
    }
  }
}

}  // namespace
}  // namespace tpuwh::topology::layout
