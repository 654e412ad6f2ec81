#include "kubectl/reference/catalog/pool_options.hpp"

#include "tests/support/named_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/unit/kubectl/reference/catalog/pool_of.hpp"

namespace tpuwh::server::catalog {
namespace {

using test::case_name;
using test::PrintTo;
using testing::HasSubstr;
using topology::Dims;

struct RefusedOptions {
  std::string_view name;
  std::string_view label = "tpu-v6e-slice";
  Dims dims{4, 4};
  std::uint32_t chips = 4;
  PoolOptions options = {};
  std::string_view want;  // parts, each in the message
  std::string_view want_too = "";
};

class Complaint : public testing::TestWithParam<RefusedOptions> {};

TEST_P(Complaint, names_both) {
  const RefusedOptions& c = GetParam();
  const auto error = complaint(pool_of(c.label, c.dims, c.chips), c.options);
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message(), HasSubstr(std::string(c.want)));
  EXPECT_THAT(error->message(), HasSubstr(std::string(c.want_too)));
}

const RefusedOptions refused_options[] = {
    {.name = "spot_and_reservation",
     .options = {.spot = true, .reservation = "r"},
     .want = "--spot and --reservation exclude each other"},
    {.name = "flex_start_and_spot",
     .options = {.flex_start = true, .spot = true},
     .want = "--flex-start and --spot exclude each other"},
    {.name = "flex_start_and_reservation",
     .options = {.flex_start = true, .reservation = "r"},
     .want = "--flex-start and --reservation exclude each other"},
    {.name = "flex_start_on_v4",
     .label = "tpu-v4-podslice",
     .dims = {2, 2, 2},
     .options = {.flex_start = true},
     .want = "--flex-start",
     .want_too = "tpu-v4-podslice"},
    {.name = "dranet_on_v5e",
     .label = "tpu-v5-lite-podslice",
     .options = {.dranet = true},
     .want = "--dranet",
     .want_too = "ct5lp-hightpu-4t"},
    {.name = "too_few_nodes",
     .options = {.num_nodes = 2},
     .want = "--num-nodes 2 does not form the topology",
     .want_too = "4x4 (16 chips) on ct6e-standard-4t with 4 chips is 4 nodes"},
    {.name = "blocks_of_an_older_generation",
     .label = "tpu-v5p-slice",
     .dims = {4, 4, 4},
     .options = {.dynamic_slicing = true},
     .want = "only tpu7x has dynamic slicing"},
    {.name = "blocks_of_a_shape_that_is_not_made_of_them",
     .label = "tpu7x",
     .dims = {1, 1, 1},
     .chips = 1,
     .options = {.dynamic_slicing = true},
     .want = "1x1x1 is not a dynamic slice",
     .want_too = "did you mean 4x4x4?"},
    {.name = "blocks_of_spot_nodes",
     .label = "tpu7x",
     .dims = {4, 4, 8},
     .options = {.spot = true, .dynamic_slicing = true},
     .want = "--spot and --dynamic-slicing exclude each other"},
    {.name = "blocks_by_flex_start",
     .label = "tpu7x",
     .dims = {4, 4, 8},
     .options = {.flex_start = true, .dynamic_slicing = true},
     .want = "--flex-start and --dynamic-slicing exclude each other"},
    {.name = "blocks_from_zero_nodes",
     .label = "tpu7x",
     .dims = {4, 4, 8},
     .options = {.autoscale = true, .dynamic_slicing = true},
     .want = "--autoscale and --dynamic-slicing exclude each other"},
    {.name = "blocks_as_large_as_the_slice",
     .label = "tpu7x",
     .dims = {4, 12, 16},
     .options = {.dynamic_slicing = true, .num_nodes = 192},
     .want = "--num-nodes 192 does not form a block",
     .want_too = "a node pool is 4x4x4 of 16 nodes"},
    {.name = "nodes_of_several_single_hosts",
     .dims = {2, 2},
     .options = {.slices = 3, .num_nodes = 2},
     .want = "2x2 (4 chips) on ct6e-standard-4t with 4 chips is 1 node, 3 slices are 3 nodes"},
};
INSTANTIATE_TEST_SUITE_P(Cases, Complaint, testing::ValuesIn(refused_options), case_name);

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
