#include "kubectl/reference/catalog/pool_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kubectl/reference/catalog/pool_of.hpp"

namespace tpuwh::server::catalog {
namespace {

using testing::HasSubstr;
using topology::Dims;

TEST(Complaint, names_both) {
  const auto v6e = pool_of("tpu-v6e-slice", Dims(4, 4)), tpu7x = pool_of("tpu7x", Dims(4, 4, 8));
  const struct {
    topology::layout::NodePool pool;
    PoolOptions options;
    const char* want;  // parts, each in the message
    const char* want_too = "";
  } cases[] = {
      {v6e, PoolOptions{.flex_start = true, .spot = true},
       "--flex-start and --spot exclude each other"},
      {v6e, PoolOptions{.flex_start = true, .reservation = "r"},
       "--flex-start and --reservation exclude each other"},
      {pool_of("tpu-v4-podslice", Dims(2, 2, 2)), PoolOptions{.flex_start = true}, "--flex-start",
       "tpu-v4-podslice"},
      {pool_of("tpu-v5-lite-podslice", Dims(4, 4)), PoolOptions{.dranet = true}, "--dranet",
       "ct5lp-hightpu-4t"},
      {v6e, PoolOptions{.num_nodes = 2}, "--num-nodes 2 does not form the topology",
       "4x4 (16 chips) on ct6e-standard-4t with 4 chips is 4 nodes"},
      {pool_of("tpu7x", Dims(1, 1, 1), 1), PoolOptions{.dynamic_slicing = true},
       "1x1x1 is not a dynamic slice", "did you mean 4x4x4?"},
      {tpu7x, PoolOptions{.spot = true, .dynamic_slicing = true},
       "--spot and --dynamic-slicing exclude each other"},
      {tpu7x, PoolOptions{.flex_start = true, .dynamic_slicing = true},
       "--flex-start and --dynamic-slicing exclude each other"},
      {tpu7x, PoolOptions{.autoscale = true, .dynamic_slicing = true},
       "--autoscale and --dynamic-slicing exclude each other"},
      {pool_of("tpu-v6e-slice", Dims(2, 2)), PoolOptions{.slices = 3, .num_nodes = 2},
       "2x2 (4 chips) on ct6e-standard-4t with 4 chips is 1 node, 3 slices are 3 nodes"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.want);
    const auto error = complaint(c.pool, c.options);
    ASSERT_TRUE(error);
    EXPECT_THAT(error->message(), HasSubstr(c.want));
    EXPECT_THAT(error->message(), HasSubstr(c.want_too));
  }
}

TEST(Complaint, is_none_where_flags_agree) {
  const auto pool = pool_of("tpu-v6e-slice", Dims(4, 4));
  EXPECT_FALSE(complaint(pool, {}));
  EXPECT_FALSE(complaint(pool, {.flex_start = true, .autoscale = true, .dranet = true}));
  EXPECT_FALSE(complaint(pool, {.spot = true, .autoscale = true, .slices = 2, .num_nodes = 4}));
}

TEST(PoolCount, is_of_blocks_with_dynamic_slicing) {
  const auto large = pool_of("tpu7x", Dims(4, 12, 16));
  EXPECT_EQ(pool_count(large, {.slices = 2}), 2u);
  EXPECT_EQ(nodes_of_pool(large, {}), 192u);
  const PoolOptions dynamic{.dynamic_slicing = true, .slices = 2, .num_nodes = 16};
  EXPECT_FALSE(complaint(large, dynamic));
  EXPECT_FALSE(dynamic.is_default());
  EXPECT_EQ(pool_count(large, dynamic), 24u);
  EXPECT_EQ(nodes_of_pool(large, dynamic), 16u);
  EXPECT_EQ(pool_count(pool_of("tpu7x", Dims(2, 2, 2)), dynamic), 1u);
}

// Only one machine type makes blocks; ultranet is asked for by name.
TEST(Complaint, is_of_another_machine_type) {
  const auto ways =
      topology::layout::node_pools(*topology::find_generation("tpu7x"), Dims(4, 4, 8));
  ASSERT_EQ(ways.back().machine->name, "tpu7x-ultranet-4t");
  const auto error = complaint(ways.back(), {.dynamic_slicing = true});
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message(), HasSubstr("nodes of tpu7x-standard-4t, not of tpu7x-ultranet-4t"));
}

TEST(Reservation, is_a_name_or_a_path) {
  for (const char* good : {"r1", "projects/p/reservations/r1/reservationBlocks/b-1"}) {
    EXPECT_TRUE(is_reservation(good)) << good;
    EXPECT_EQ(reservation_name(good), "r1");
  }
  EXPECT_EQ(reservation_name("r1/reservationBlocks/b"), "r1");
  for (const char* evil : {"", "a b", "a;b", "$(b)", "a\nb", "\"a"}) {
    EXPECT_FALSE(is_reservation(evil)) << evil;
  }
}

}  // namespace
}  // namespace tpuwh::server::catalog
