#include "kubectl/reference/catalog/gcloud.hpp"

#include "tests/support/named_case.hpp"
#include "topology/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/kubectl/reference/catalog/pool_of.hpp"

namespace tpuwh::server::catalog {
namespace {

using test::case_name;
using test::PrintTo;
using testing::Contains;
using topology::Dims;

// What a test looks at: all but the words that every command has.
std::string flags(const GcloudCommand& command) {
  std::string result;
  for (const auto& word : command.words) {
    const bool same = word.starts_with("--cluster") || word.starts_with("--location") ||
                      word.starts_with("--node-locations") || word == "gcloud";
    if (!same) result += (result.empty() ? "" : " ") + word;
  }
  return result;
}

struct Commands {
  std::string_view name;
  std::string_view label;
  Dims dims;
  std::uint32_t chips = 4;
  PoolOptions options = {};
  std::vector<std::string> want;
};

class Gcloud : public testing::TestWithParam<Commands> {};

TEST_P(Gcloud, makes_the_pools) {
  const Commands& c = GetParam();
  std::vector<std::string> found;
  for (const auto& command : gcloud_commands(pool_of(c.label, c.dims, c.chips), c.options)) {
    EXPECT_EQ(command.words.front(), "gcloud");
    found.push_back(flags(command));
  }
  EXPECT_EQ(found, c.want);
}

const Commands commands[] = {
    {.name = "multi_host",
     .label = "tpu-v6e-slice",
     .dims = {2, 4},
     .want = {"container node-pools create v6e-2x4-4t --machine-type=ct6e-standard-4t "
              "--tpu-topology=2x4 --num-nodes=2"}},
    {.name = "single_host",
     .label = "tpu-v6e-slice",
     .dims = {2, 4},
     .chips = 8,
     .want = {"container node-pools create v6e-2x4-8t --machine-type=ct6e-standard-8t "
              "--tpu-topology=2x4 --num-nodes=1"}},
    {.name = "a_pool_for_each_slice",
     .label = "tpu-v6e-slice",
     .dims = {4, 4},
     .options = {.slices = 2},
     .want = {"container node-pools create v6e-4x4-4t-0 --machine-type=ct6e-standard-4t "
              "--tpu-topology=4x4 --num-nodes=4",
              "container node-pools create v6e-4x4-4t-1 --machine-type=ct6e-standard-4t "
              "--tpu-topology=4x4 --num-nodes=4"}},
    {.name = "single_hosts_share_a_pool",
     .label = "tpu-v6e-slice",
     .dims = {1, 1},
     .chips = 1,
     .options = {.slices = 3},
     .want = {"container node-pools create v6e-1x1-1t --machine-type=ct6e-standard-1t "
              "--tpu-topology=1x1 --num-nodes=3"}},
    {.name = "flex_start_grows_from_zero",
     .label = "tpu-v6e-slice",
     .dims = {2, 4},
     .options = {.flex_start = true},
     .want = {"container node-pools create v6e-2x4-4t --machine-type=ct6e-standard-4t "
              "--tpu-topology=2x4 --enable-autoscaling --num-nodes=0 --min-nodes=0 --max-nodes=2 "
              "--flex-start --reservation-affinity=none"}},
    {.name = "spot_and_autoscaled",
     .label = "tpu-v5p-slice",
     .dims = {2, 2, 4},
     .options = {.spot = true, .autoscale = true},
     .want = {"container node-pools create v5p-2x2x4-4t --machine-type=ct5p-hightpu-4t "
              "--tpu-topology=2x2x4 --enable-autoscaling --num-nodes=0 --min-nodes=0 "
              "--max-nodes=4 --spot"}},
    {.name = "reserved",
     .label = "tpu-v5p-slice",
     .dims = {2, 2, 1},
     .options = {.reservation = "r1"},
     .want = {"container node-pools create v5p-2x2x1-4t --machine-type=ct5p-hightpu-4t "
              "--tpu-topology=2x2x1 --num-nodes=1 --reservation-affinity=specific "
              "--reservation=r1"}},
    {.name = "tpu7x_takes_a_workload_policy",
     .label = "tpu7x",
     .dims = {2, 2, 2},
     .want = {"compute resource-policies create workload-policy tpu7x-2x2x2-4t --region=$REGION "
              "--type=HIGH_THROUGHPUT --accelerator-topology=2x2x2",
              "container node-pools create tpu7x-2x2x2-4t --machine-type=tpu7x-standard-4t "
              "--placement-policy=tpu7x-2x2x2-4t --num-nodes=2"}},
    {.name = "tpu7x_single_host_takes_neither",
     .label = "tpu7x",
     .dims = {2, 2, 1},
     .want = {"container node-pools create tpu7x-2x2x1-4t --machine-type=tpu7x-standard-4t "
              "--num-nodes=1"}},
    {.name = "a_pool_for_each_block",
     .label = "tpu7x",
     .dims = {4, 4, 8},
     .options = {.dynamic_slicing = true},
     .want = {"container clusters update $CLUSTER --enable-slice-controller",
              "compute resource-policies create workload-policy tpu7x-4x4x4-blocks "
              "--region=$REGION --type=HIGH_THROUGHPUT --accelerator-topology=4x4x4 "
              "--accelerator-topology-mode=provision_only",
              "container node-pools create tpu7x-4x4x4-block-0 --machine-type=tpu7x-standard-4t "
              "--placement-policy=tpu7x-4x4x4-blocks --num-nodes=16 "
              "--reservation-affinity=specific --reservation=$RESERVATION",
              "container node-pools create tpu7x-4x4x4-block-1 --machine-type=tpu7x-standard-4t "
              "--placement-policy=tpu7x-4x4x4-blocks --num-nodes=16 "
              "--reservation-affinity=specific --reservation=$RESERVATION"}},
    {.name = "parts_of_a_block_share_its_pool",
     .label = "tpu7x",
     .dims = {2, 2, 1},
     .options = {.reservation = "r1", .dynamic_slicing = true, .slices = 16},
     .want = {"container clusters update $CLUSTER --enable-slice-controller",
              "compute resource-policies create workload-policy tpu7x-4x4x4-blocks "
              "--region=$REGION --type=HIGH_THROUGHPUT --accelerator-topology=4x4x4 "
              "--accelerator-topology-mode=provision_only",
              "container node-pools create tpu7x-4x4x4-block --machine-type=tpu7x-standard-4t "
              "--placement-policy=tpu7x-4x4x4-blocks --num-nodes=16 "
              "--reservation-affinity=specific --reservation=r1"}},
    {.name = "dranet_makes_two_networks",
     .label = "tpu-v6e-slice",
     .dims = {4, 4},
     .options = {.dranet = true},
     .want = {"compute networks create $CLUSTER-net-1 --subnet-mode=custom --mtu=8896",
              "compute networks create $CLUSTER-net-2 --subnet-mode=custom --mtu=8896",
              "compute networks subnets create $CLUSTER-subnet-1 --network=$CLUSTER-net-1 "
              "--region=$REGION --range=10.201.0.0/16",
              "compute networks subnets create $CLUSTER-subnet-2 --network=$CLUSTER-net-2 "
              "--region=$REGION --range=10.202.0.0/16",
              "container node-pools create v6e-4x4-4t --machine-type=ct6e-standard-4t "
              "--tpu-topology=4x4 --num-nodes=4 "
              "--additional-node-network=network=$CLUSTER-net-1,subnetwork=$CLUSTER-subnet-1 "
              "--additional-node-network=network=$CLUSTER-net-2,subnetwork=$CLUSTER-subnet-2 "
              "--node-labels=cloud.google.com/gke-networking-dra-driver=true --enable-gvnic"}},
};
INSTANTIATE_TEST_SUITE_P(Cases, Gcloud, testing::ValuesIn(commands), case_name);

// Whatever the shape: one pool per multi-host slice, with its nodes, no name above GKE's 40.
TEST(Gcloud, fits_every_row_of_the_catalog) {
  for (const auto& generation : topology::generations()) {
    for (const auto& machine : generation.machine_types) {
      for (const auto& row : machine.topologies) {
        const auto pool = pool_of(generation.label, row.dims, machine.chips_per_vm);
        const auto made = gcloud_commands(pool, {}).back();
        EXPECT_THAT(made.words, Contains("--num-nodes=" + std::to_string(row.vms)));
        EXPECT_LE(made.words[4].size(), 40u);
      }
    }
  }
}

TEST(Gcloud, loops_over_more_pools_than_anybody_reads) {
  const auto pool = pool_of("tpu-v6e-slice", Dims(4, 4));
  const auto four = gcloud_script(pool, {.slices = 4});
  EXPECT_THAT(four, testing::HasSubstr("create v6e-4x4-4t-3 "));
  EXPECT_THAT(four, Not(testing::HasSubstr("for i in")));
  EXPECT_EQ(gcloud_script(pool, {.slices = 5}),
            "for i in $(seq 0 4); do\n"
            "  gcloud container node-pools create v6e-4x4-4t-$i \\\n"
            "      --cluster=$CLUSTER \\\n"
            "      --location=$LOCATION \\\n"
            "      --node-locations=$ZONE \\\n"
            "      --machine-type=ct6e-standard-4t \\\n"
            "      --tpu-topology=4x4 \\\n"
            "      --num-nodes=4\n"
            "done\n");
  EXPECT_EQ(gcloud_commands(pool, {.slices = 5}).size(), 5u);
}

// What comes before the pools is there, too.
TEST(Gcloud, counts_on_behind_pools_that_are_there) {
  const auto pool = pool_of("tpu7x", Dims(2, 2, 2), 4);
  std::vector<std::string> names;
  for (const auto& command : gcloud_commands(pool, {.slices = 2, .before = 3}))
    names.push_back(command.words[4]);
  EXPECT_EQ(names, (std::vector<std::string>{"tpu7x-2x2x2-4t-3", "tpu7x-2x2x2-4t-4"}));
  EXPECT_EQ(gcloud_commands(pool, {.before = 1}).front().words[4], "tpu7x-2x2x2-4t-1");
}

TEST(Gcloud, is_typed_a_flag_to_a_line) {
  EXPECT_EQ((GcloudCommand{{"gcloud", "do", "it", "--a=1", "--b"}}.text()),
            "gcloud do it \\\n    --a=1 \\\n    --b");
}

}  // namespace
}  // namespace tpuwh::server::catalog
