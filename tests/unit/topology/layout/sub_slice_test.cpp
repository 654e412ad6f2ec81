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

TEST(SubSlices, lie_one_after_the_other) {
  struct {
    Dims slice, part;
    std::uint32_t index, want_count;
    Coord want_chip;
    std::vector<std::uint32_t> want_workers;
  } const cases[] = {
      {{4, 4}, {2, 4}, 0, 2, {0, 0, 0}, {0, 2}},
      {{4, 4}, {2, 4}, 1, 2, {2, 0, 0}, {1, 3}},
      {{8, 8}, {4, 4}, 2, 4, {0, 4, 0}, {8, 9, 12, 13}},
      {{2, 2, 4}, {2, 2, 2}, 1, 2, {0, 0, 2}, {2, 3}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.part.text() + " of " + c.slice.text());
    const auto boxes = sub_slices(c.slice, 4, c.part);
    ASSERT_TRUE(boxes);
    EXPECT_EQ(boxes->size(), c.want_count);
    EXPECT_EQ(boxes->first_chip(c.index), c.want_chip);
    EXPECT_EQ(boxes->workers_of(c.index), c.want_workers);
  }
}

TEST(SubSlices, are_none_where_they_do_not_fill_the_slice) {
  EXPECT_FALSE(sub_slices(Dims(4, 4, 12), 4, Dims(4, 4, 8)));
  EXPECT_FALSE(sub_slices(Dims(4, 4), 4, Dims(2, 2, 1)));
  EXPECT_FALSE(sub_slices(Dims(4, 4), 4, Dims(1, 1)));  // a fourth of a host
  EXPECT_FALSE(sub_slices(Dims(2, 4), 4, Dims(4, 4)));
}

// Of every row and every shape in it: each host is in exactly one sub-slice, and its place
// there is that of a slice of this shape.
TEST(SubSlices, of_every_catalog_row_share_no_host) {
  int checked = 0;
  for (const Generation& generation : generations()) {
    for (const MachineType& machine : generation.machine_types) {
      for (const Topology& row : machine.topologies) {
        for (const Dims& part : sub_slice_shapes_of(row.dims, machine.chips_per_vm)) {
          SCOPED_TRACE(row.dims.text() + " in " + part.text());
          const auto all = sub_slices(row.dims, machine.chips_per_vm, part);
          const auto grid = host_grid(row.dims, machine.chips_per_vm);
          const auto inside = host_grid(part, machine.chips_per_vm);
          ASSERT_TRUE(all && grid && inside);
          std::vector<int> times(grid->size());
          for (std::uint32_t index = 0; index < all->size(); ++index) {
            const auto workers = all->workers_of(index);
            ASSERT_EQ(workers.size(), all->hosts_each());
            const Coord first = all->first_chip(index);
            for (std::uint32_t i = 0; i < workers.size(); ++i) {
              ++times[workers[i]];
              ASSERT_EQ(all->index_of_worker(workers[i]), index);
              const Coord chip = grid->first_chip(workers[i]);
              const Coord want = inside->first_chip(i);
              for (unsigned axis = 0; axis < 3; ++axis) {
                ASSERT_EQ(chip[axis], first[axis] + want[axis]);
              }
            }
          }
          ASSERT_EQ(times, std::vector<int>(grid->size(), 1));
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 500);
}

}  // namespace
}  // namespace tpuwh::topology::layout
