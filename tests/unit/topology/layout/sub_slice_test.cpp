#include "topology/layout/sub_slice.hpp"

#include "topology/catalog.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <string_view>

namespace tpuwh::topology::layout {
namespace {

TEST(SubSliceShapes, are_those_that_divide_the_slice) {
  const auto shapes = [](const Dims& slice, std::uint32_t chips_per_host) {
    std::string found;
    for (const Dims& dims : sub_slice_shapes_of(slice, chips_per_host))
      found += (found.empty() ? "" : " ") + dims.text();
    return found;
  };
  EXPECT_EQ(shapes({2, 2}, 4), "");
  EXPECT_EQ(shapes({2, 2}, 1), "1x1");
  EXPECT_EQ(shapes({4, 4}, 4), "2x2 2x4");
  EXPECT_EQ(shapes({4, 8}, 4), "2x2 2x4 4x4");
  EXPECT_EQ(shapes({16, 16}, 4), "2x2 2x4 4x4 4x8 8x8 8x16");
  EXPECT_EQ(shapes({4, 4, 4}, 4), "2x2x1 2x2x2 2x2x4 2x4x4");
  EXPECT_EQ(shapes({4, 4, 12}, 4), "2x2x1 2x2x2 2x2x4 2x4x4 4x4x4");
}

TEST(SubSlices, fill_the_slice) {
  EXPECT_EQ(sub_slices(Dims(4, 4), 4, Dims(2, 4)), 2u);
  EXPECT_EQ(sub_slices(Dims(8, 8), 4, Dims(4, 4)), 4u);
  EXPECT_EQ(sub_slices(Dims(2, 2, 4), 4, Dims(2, 2, 2)), 2u);
}

TEST(SubSlices, are_none_where_they_do_not_fill_the_slice) {
  EXPECT_FALSE(sub_slices(Dims(4, 4, 12), 4, Dims(4, 4, 8)));
  EXPECT_FALSE(sub_slices(Dims(4, 4), 4, Dims(2, 2, 1)));
  EXPECT_FALSE(sub_slices(Dims(4, 4), 4, Dims(1, 1)));  // a fourth of a host
  EXPECT_FALSE(sub_slices(Dims(2, 4), 4, Dims(4, 4)));
}

}  // namespace
}  // namespace tpuwh::topology::layout
