#include "topology/layout/sub_slice.hpp"

#include "topology/catalog.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <string_view>

#include "tests/support/named_case.hpp"

namespace tpuwh::topology::layout {
namespace {

using test::case_name;
using test::PrintTo;

struct Shapes {
  std::string_view name;
  Dims slice;
  std::uint32_t chips_per_host;
  std::string_view want;
};

class SubSliceShapes : public testing::TestWithParam<Shapes> {};

TEST_P(SubSliceShapes, are) {
  std::string found;
  for (const Dims& dims : sub_slice_shapes_of(GetParam().slice, GetParam().chips_per_host)) {
    found += (found.empty() ? "" : " ") + dims.text();
  }
  EXPECT_EQ(found, GetParam().want);
}

const Shapes shapes[] = {
    {.name = "one_host_has_none", .slice = {2, 2}, .chips_per_host = 4, .want = ""},
    {.name = "one_chip_nodes", .slice = {2, 2}, .chips_per_host = 1, .want = "1x1"},
    {.name = "v6e_4x4", .slice = {4, 4}, .chips_per_host = 4, .want = "2x2 2x4"},
    {.name = "v6e_4x8", .slice = {4, 8}, .chips_per_host = 4, .want = "2x2 2x4 4x4"},
    {.name = "v6e_16x16",
     .slice = {16, 16},
     .chips_per_host = 4,
     .want = "2x2 2x4 4x4 4x8 8x8 8x16"},
    {.name = "tpu7x_4x4x4",
     .slice = {4, 4, 4},
     .chips_per_host = 4,
     .want = "2x2x1 2x2x2 2x2x4 2x4x4"},
    {.name = "a_cube_among_others",
     .slice = {4, 4, 12},
     .chips_per_host = 4,
     .want = "2x2x1 2x2x2 2x2x4 2x4x4 4x4x4"},
};
INSTANTIATE_TEST_SUITE_P(Cases, SubSliceShapes, testing::ValuesIn(shapes), case_name);

struct Box {
  std::string_view name;
  Dims slice;
  Dims part;
  std::uint32_t index;
  std::uint32_t want_count;
  Coord want_chip;
  std::vector<std::uint32_t> want_workers;
};

class SubSliceBox : public testing::TestWithParam<Box> {};

TEST_P(SubSliceBox, lies) {
  const Box& c = GetParam();
  const auto boxes = sub_slices(c.slice, 4, c.part);
  ASSERT_TRUE(boxes);
  EXPECT_EQ(boxes->size(), c.want_count);
  EXPECT_EQ(boxes->first_chip(c.index), c.want_chip);
  EXPECT_EQ(boxes->workers_of(c.index), c.want_workers);
}

const Box boxes[] = {
    {.name = "upper_half_of_4x4",
     .slice = {4, 4},
     .part = {2, 4},
     .index = 0,
     .want_count = 2,
     .want_chip = {0, 0, 0},
     .want_workers = {0, 2}},
    {.name = "lower_half_of_4x4",
     .slice = {4, 4},
     .part = {2, 4},
     .index = 1,
     .want_count = 2,
     .want_chip = {2, 0, 0},
     .want_workers = {1, 3}},
    {.name = "third_quarter_of_8x8",
     .slice = {8, 8},
     .part = {4, 4},
     .index = 2,
     .want_count = 4,
     .want_chip = {0, 4, 0},
     .want_workers = {8, 9, 12, 13}},
    {.name = "second_pair_of_2x2x4",
     .slice = {2, 2, 4},
     .part = {2, 2, 2},
     .index = 1,
     .want_count = 2,
     .want_chip = {0, 0, 2},
     .want_workers = {2, 3}},
};
INSTANTIATE_TEST_SUITE_P(Cases, SubSliceBox, testing::ValuesIn(boxes), case_name);

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
