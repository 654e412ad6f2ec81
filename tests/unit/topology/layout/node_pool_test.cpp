#include "topology/layout/node_pool.hpp"
#include "base/result.hpp"
#include "topology/errc.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/named_case.hpp"

namespace tpuwh::topology::layout {
namespace {

using test::case_name;
using test::PrintTo;

struct Ways {
  std::string_view name;
  std::string_view accelerator;
  Dims dims;
  std::string_view want;  // nodes x machine type
};

class NodePools : public testing::TestWithParam<Ways> {};

TEST_P(NodePools, are) {
  std::string found;
  for (const NodePool& pool :
       node_pools(*find_generation(GetParam().accelerator), GetParam().dims)) {
    found += (found.empty() ? "" : ", ") + std::to_string(pool.slice.hosts) + ' ' +
             std::string(pool.machine->name) + (pool.row == nullptr ? " by rule" : "");
  }
  EXPECT_EQ(found, GetParam().want);
}

const Ways ways[] = {
    {.name = "v6e_1x1",
     .accelerator = "tpu-v6e-slice",
     .dims = {1, 1},
     .want = "1 ct6e-standard-1t"},
    {.name = "v6e_2x4",
     .accelerator = "tpu-v6e-slice",
     .dims = {2, 4},
     .want = "2 ct6e-standard-4t, 1 ct6e-standard-8t"},
    {.name = "v5e_4x8",
     .accelerator = "tpu-v5-lite-podslice",
     .dims = {4, 8},
     .want = "8 ct5lp-hightpu-4t"},
    {.name = "v5p_by_rule",
     .accelerator = "tpu-v5p-slice",
     .dims = {4, 4, 16},
     .want = "64 ct5p-hightpu-4t by rule"},
    {.name = "tpu7x_twins",
     .accelerator = "tpu7x",
     .dims = {2, 2, 2},
     .want = "2 tpu7x-standard-4t, 2 tpu7x-ultranet-4t"},
    {.name = "unknown", .accelerator = "tpu-v6e-slice", .dims = {3, 3}, .want = ""},
    {.name = "wrong_rank", .accelerator = "tpu-v6e-slice", .dims = {2, 2, 1}, .want = ""},
};
INSTANTIATE_TEST_SUITE_P(Cases, NodePools, testing::ValuesIn(ways), case_name);

TEST(NodePool, takes_the_way_with_those_chips) {
  const Generation& v6e = *find_generation("tpu-v6e-slice");
  EXPECT_EQ(node_pool(v6e, Dims(2, 4), 8)->machine->name, "ct6e-standard-8t");
  EXPECT_EQ(node_pool(v6e, Dims(2, 4), 4)->slice.hosts, 2u);
  EXPECT_EQ(node_pool(*find_generation("tpu7x"), Dims(2, 2, 2), 4)->machine->name,
            "tpu7x-standard-4t");
}

struct RefusedPool {
  std::string_view name;
  Dims dims;
  std::uint32_t chips;
  ErrorCode want;
  std::string_view want_text;
};

class NodePoolRefuses : public testing::TestWithParam<RefusedPool> {};

TEST_P(NodePoolRefuses, with_what_there_is) {
  const RefusedPool& c = GetParam();
  const auto pool = node_pool(*find_generation("tpu-v6e-slice"), c.dims, c.chips);
  ASSERT_FALSE(pool);
  EXPECT_EQ(pool.error().code(), c.want);
  EXPECT_EQ(pool.error().message(), c.want_text);
}

const RefusedPool refused_pools[] = {
    {.name = "v6e_4x8_of_8",
     .dims = {4, 8},
     .chips = 8,
     .want = base::Errc::bad_value,
     .want_text = "4x8 of tpu-v6e-slice is not made of nodes of 8 chips, which support 2x4; 4x8 is "
                  "made of 8 nodes of 4 chips (ct6e-standard-4t)"},
    {.name = "no_such_node",
     .dims = {4, 8},
     .chips = 3,
     .want = base::Errc::bad_value,
     .want_text =
         "tpu-v6e-slice has no node of 3 chips, only of 1 chip (ct6e-standard-1t), 4 chips "
         "(ct6e-standard-4t), 8 chips (ct6e-standard-8t); the smallest machine type with that many "
         "is "
         "ct6e-standard-4t; its Pods ask for all 4"},
    {.name = "more_than_any",
     .dims = {4, 8},
     .chips = 16,
     .want = base::Errc::bad_value,
     .want_text =
         "tpu-v6e-slice has no node of 16 chips, only of 1 chip (ct6e-standard-1t), 4 chips "
         "(ct6e-standard-4t), 8 chips (ct6e-standard-8t)"},
    {.name = "not_dividing",
     .dims = {3, 3},
     .chips = 4,
     .want = Errc::chips_not_dividing,
     .want_text = "topology 3x3 is 9 chips and cannot be split over Pods of 4 chips; with 4 chips "
                  "per node tpu-v6e-slice supports 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16"},
};
INSTANTIATE_TEST_SUITE_P(Cases, NodePoolRefuses, testing::ValuesIn(refused_pools), case_name);

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
