#include "topology/layout/grid.hpp"

#include "topology/catalog.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace tpuwh::topology::layout {
namespace {

TEST(HostGrid, places_a_worker) {
  struct {
    Dims dims;
    std::uint32_t chips_per_host, worker;
    Coord want_host;
    std::vector<Coord> want_chips;
  } const cases[] = {
      {{2, 4}, 4, 1, {0, 1, 0}, {{0, 2, 0}, {1, 2, 0}, {0, 3, 0}, {1, 3, 0}}},
      // x runs first
      {{4, 4}, 4, 1, {1, 0, 0}, {{2, 0, 0}, {3, 0, 0}, {2, 1, 0}, {3, 1, 0}}},
      // layer by layer
      {{2, 4, 4}, 4, 5, {0, 1, 2}, {{0, 2, 2}, {1, 2, 2}, {0, 3, 2}, {1, 3, 2}}},
      // processes with two chips each
      {{2, 2, 1}, 2, 1, {1, 0, 0}, {{1, 0, 0}, {1, 1, 0}}},
  };
  for (const auto& c : cases) {
    const auto grid = host_grid(c.dims, c.chips_per_host);
    ASSERT_TRUE(grid);
    EXPECT_EQ(grid->host_of(c.worker), c.want_host) << c.dims.text();
    EXPECT_EQ(grid->chips_of(c.worker), c.want_chips) << c.dims.text();
  }
}

TEST(HostGrid, is_none_where_no_layout_fills_the_slice) {
  EXPECT_FALSE(host_grid(Dims(4, 4), 3));  // nobody lays out 3 chips
  EXPECT_FALSE(host_grid(Dims(4, 2), 8));  // 2,4,1
  EXPECT_FALSE(host_grid(Dims(1, 1), 4));
  EXPECT_FALSE(host_grid(Dims(4, 4), 0));
}

// Every shape of the catalog: the hosts of the grid are those of the slice's bounds, each
// chip belongs to exactly one of them, and ids and coordinates say the same both ways.
TEST(HostGrid, of_every_catalog_row_is_a_partition_of_its_chips) {
  int rows = 0;
  for (const Generation& generation : generations()) {
    for (const MachineType& machine : generation.machine_types) {
      for (const Topology& row : machine.topologies) {
        SCOPED_TRACE(std::string(machine.name) + ' ' + row.dims.text());
        const auto grid = host_grid(row.dims, machine.chips_per_vm);
        ASSERT_TRUE(grid);
        ASSERT_EQ(grid->size(), row.vms);
        EXPECT_EQ(text(grid->hosts()), row.host_bounds);
        EXPECT_EQ(text(grid->chips_per_host()), row.chips_per_host_bounds);
        std::set<Coord> chips;
        for (std::uint32_t worker = 0; worker < grid->size(); ++worker) {
          ASSERT_EQ(grid->worker_at(grid->host_of(worker)), worker);
          const auto own = grid->chips_of(worker);
          ASSERT_EQ(own.size(), machine.chips_per_vm);
          ASSERT_EQ(own.front(), grid->first_chip(worker));
          for (const Coord& chip : own) {
            for (unsigned axis = 0; axis < 3; ++axis) ASSERT_LT(chip[axis], row.dims.axis(axis));
            ASSERT_TRUE(chips.insert(chip).second);
          }
        }
        EXPECT_EQ(chips.size(), row.dims.chips());
        ++rows;
      }
    }
  }
  EXPECT_GE(rows, 256);
}

}  // namespace
}  // namespace tpuwh::topology::layout
