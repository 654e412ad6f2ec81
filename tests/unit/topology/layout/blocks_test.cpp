#include "topology/layout/blocks.hpp"
#include "base/result.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "tests/unit/topology/catalog_file.hpp"

namespace tpuwh::topology::layout {
namespace {

const Generation& tpu7x_row() {
  return *find_generation("tpu7x");
}

TEST(DynamicSlice, is_made_of_blocks) {
  struct {
    Dims slice;
    Bounds along = {1, 1, 1};
    std::uint32_t per_block = 1;
  } const cases[] = {
      {{4, 4, 4}},
      {{4, 12, 16}, {1, 3, 4}},
      {{16, 24, 24}, {4, 6, 6}},  // the largest
      {{2, 2, 1}, {1, 1, 1}, 16},
      {{2, 2, 2}, {1, 1, 1}, 8},
      {{2, 2, 4}, {1, 1, 1}, 4},
      {{2, 4, 4}, {1, 1, 1}, 2},
  };
  for (const auto& [slice, along, per_block] : cases) {
    const auto blocks = blocks_of(tpu7x_row(), slice);
    ASSERT_TRUE(blocks) << blocks.error().message();
    EXPECT_EQ(blocks->block, Dims(4, 4, 4));
    EXPECT_EQ(blocks->nodes, 16u);
    EXPECT_EQ(blocks->along, along) << slice.text();
    EXPECT_EQ(blocks->per_block, per_block) << slice.text();
  }
}

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

TEST(NoDynamicSlice, says_what_would_be) {
  struct {
    std::string_view label;
    Dims slice;
    std::string want;  // behind "... is not a dynamic slice: "
  } const cases[] = {
      {"tpu-v5p-slice", Dims(4, 4, 4),
       "only tpu7x has dynamic slicing, tpu-v5p-slice has node pools of fixed topologies"},
      {"tpu7", Dims(4, 4, 4),
       "only tpu7x has dynamic slicing, tpu7 has node pools of fixed topologies"},
      {"tpu7x", Dims(4, 4), "it has three dimensions, such as 4x4x4"},
      {"tpu7x", Dims(4, 6, 8),
       "each dimension is a multiple of 4 (blocks of 4x4x4), or the slice is a part of one block: "
       "2x2x1, 2x2x2, 2x2x4, 2x4x4; did you mean 4x8x8?"},
      {"tpu7x", Dims(1, 1, 1),
       "each dimension is a multiple of 4 (blocks of 4x4x4), or the slice is a part of one block: "
       "2x2x1, 2x2x2, 2x2x4, 2x4x4; did you mean 4x4x4?"},
      {"tpu7x", Dims(16, 23, 24),
       "each dimension is a multiple of 4 (blocks of 4x4x4), or the slice is a part of one block: "
       "2x2x1, 2x2x2, 2x2x4, 2x4x4; did you mean 16x24x24?"},
      {"tpu7x", Dims(4, 16, 12),
       "no dimension is smaller than the one before it; did you mean 4x12x16?"},
      {"tpu7x", Dims(16, 24, 28),
       "10752 chips are more than the 9216 of the largest slice of tpu7x"},
  };
  for (const auto& [label, slice, want] : cases) {
    const auto blocks = blocks_of(*find_generation(label), slice);
    ASSERT_FALSE(blocks);
    EXPECT_EQ(blocks.error().code(), base::Errc::bad_value);
    EXPECT_EQ(blocks.error().message(), slice.text() + " is not a dynamic slice: " + want);
  }
}

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
