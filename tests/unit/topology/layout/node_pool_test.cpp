#include "topology/layout/node_pool.hpp"
#include "base/result.hpp"
#include "topology/errc.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tpuwh::topology::layout {
namespace {

TEST(NodePools, are_nodes_of_machine_types) {
  const auto ways = [](std::string_view accelerator, const Dims& dims) {
    std::string found;
    for (const NodePool& pool : node_pools(*find_generation(accelerator), dims))
      found += (found.empty() ? "" : ", ") + std::to_string(pool.slice.hosts) + ' ' +
               std::string(pool.machine->name) + (pool.row == nullptr ? " by rule" : "");
    return found;
  };
  EXPECT_EQ(ways("tpu-v6e-slice", {1, 1}), "1 ct6e-standard-1t");
  EXPECT_EQ(ways("tpu-v6e-slice", {2, 4}), "2 ct6e-standard-4t, 1 ct6e-standard-8t");
  EXPECT_EQ(ways("tpu-v5-lite-podslice", {4, 8}), "8 ct5lp-hightpu-4t");
  EXPECT_EQ(ways("tpu-v5p-slice", {4, 4, 16}), "64 ct5p-hightpu-4t by rule");
  EXPECT_EQ(ways("tpu7x", {2, 2, 2}), "2 tpu7x-standard-4t, 2 tpu7x-ultranet-4t");
  EXPECT_EQ(ways("tpu-v6e-slice", {3, 3}), "");
  EXPECT_EQ(ways("tpu-v6e-slice", {2, 2, 1}), "");
}

TEST(NodePool, takes_the_way_with_those_chips) {
  const Generation& v6e = *find_generation("tpu-v6e-slice");
  EXPECT_EQ(node_pool(v6e, Dims(2, 4), 8)->machine->name, "ct6e-standard-8t");
  EXPECT_EQ(node_pool(v6e, Dims(2, 4), 4)->slice.hosts, 2u);
  EXPECT_EQ(node_pool(*find_generation("tpu7x"), Dims(2, 2, 2), 4)->machine->name,
            "tpu7x-standard-4t");
}

TEST(NodePool, is_refused_with_what_there_is) {
  const auto refused = [](const Dims& dims, std::uint32_t chips, ErrorCode code) {
    const auto pool = node_pool(*find_generation("tpu-v6e-slice"), dims, chips);
    EXPECT_FALSE(pool);
    EXPECT_EQ(pool.error().code(), code);
    return pool.error().message();
  };
  const ErrorCode bad = base::Errc::bad_value;
  EXPECT_EQ(refused({4, 8}, 8, bad),
            "4x8 of tpu-v6e-slice is not made of nodes of 8 chips, which support 2x4; 4x8 is made "
            "of 8 nodes of 4 chips (ct6e-standard-4t)");
  const std::string only =
      " chips, only of 1 chip (ct6e-standard-1t), 4 chips (ct6e-standard-4t), 8 chips "
      "(ct6e-standard-8t)";
  EXPECT_EQ(refused({4, 8}, 3, bad),
            "tpu-v6e-slice has no node of 3" + only +
                "; the smallest machine type with that many is ct6e-standard-4t; its Pods ask for "
                "all 4");
  EXPECT_EQ(refused({4, 8}, 16, bad), "tpu-v6e-slice has no node of 16" + only);
  EXPECT_EQ(refused({3, 3}, 4, Errc::chips_not_dividing),
            "topology 3x3 is 9 chips and cannot be split over Pods of 4 chips; with 4 chips per "
            "node tpu-v6e-slice supports 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16");
}

TEST(SmallestMachine, has_at_least_the_chips) {
  const Generation& v6e = *find_generation("tpu-v6e-slice");
  EXPECT_EQ(smallest_machine(v6e, 1)->name, "ct6e-standard-1t");
  EXPECT_EQ(smallest_machine(v6e, 2)->name, "ct6e-standard-4t");
  EXPECT_EQ(smallest_machine(v6e, 8)->name, "ct6e-standard-8t");
  EXPECT_EQ(smallest_machine(v6e, 9), nullptr);
}

// Every row is found by its own numbers, and has as many nodes as the file says.
TEST(NodePool, finds_every_row) {
  int rows = 0;
  for (const Generation& generation : generations()) {
    for (const MachineType& machine : generation.machine_types) {
      for (const Topology& row : machine.topologies) {
        const auto pool = node_pool(generation, row.dims, machine.chips_per_vm);
        ASSERT_TRUE(pool) << machine.name << ' ' << row.dims.text();
        EXPECT_EQ(pool->slice.hosts, row.vms);
        ASSERT_NE(pool->row, nullptr);
        EXPECT_EQ(pool->slice.accelerator_type(), row.accelerator_type);
        ++rows;
      }
    }
  }
  EXPECT_GE(rows, 256);
}

}  // namespace
}  // namespace tpuwh::topology::layout
