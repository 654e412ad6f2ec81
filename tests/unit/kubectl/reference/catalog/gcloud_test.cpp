#include "kubectl/reference/catalog/gcloud.hpp"

#include "topology/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/kubectl/reference/catalog/pool_of.hpp"

namespace tpuwh::server::catalog {
namespace {

using testing::Contains;
using topology::Dims;
using Texts = std::vector<std::string>;

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

// The commands for slices of several hosts are in tests/golden/explain/job-2x4.txt,
// jobset-multislice-kueue.txt and tpu7x-two-containers.txt. The commands for blocks and for
// flex-start are in docs/catalog.md, which tests/readme runs.
TEST(Gcloud, makes_the_pools) {
  const struct {
    std::string_view name;
    topology::layout::NodePool pool;
    PoolOptions options;
    Texts want;
  } cases[] = {
      {"single_host", pool_of("tpu-v6e-slice", Dims(2, 4), 8), PoolOptions(),
       Texts{"container node-pools create v6e-2x4-8t --machine-type=ct6e-standard-8t "
             "--tpu-topology=2x4 --num-nodes=1"}},
      {"single_hosts_share_a_pool", pool_of("tpu-v6e-slice", Dims(1, 1), 1),
       PoolOptions{.slices = 3},
       Texts{"container node-pools create v6e-1x1-1t --machine-type=ct6e-standard-1t "
             "--tpu-topology=1x1 --num-nodes=3"}},
      {"spot_and_autoscaled", pool_of("tpu-v5p-slice", Dims(2, 2, 4)),
       PoolOptions{.spot = true, .autoscale = true},
       Texts{"container node-pools create v5p-2x2x4-4t --machine-type=ct5p-hightpu-4t "
             "--tpu-topology=2x2x4 --enable-autoscaling --num-nodes=0 --min-nodes=0 --max-nodes=4 "
             "--spot"}},
      {"reserved", pool_of("tpu-v5p-slice", Dims(2, 2, 1)), PoolOptions{.reservation = "r1"},
       Texts{
           "container node-pools create v5p-2x2x1-4t --machine-type=ct5p-hightpu-4t "
           "--tpu-topology=2x2x1 --num-nodes=1 --reservation-affinity=specific --reservation=r1"}},
      {"tpu7x_single_host_takes_neither", pool_of("tpu7x", Dims(2, 2, 1)), PoolOptions(),
       Texts{"container node-pools create tpu7x-2x2x1-4t --machine-type=tpu7x-standard-4t "
             "--num-nodes=1"}},
      {"parts_of_a_block_share_its_pool", pool_of("tpu7x", Dims(2, 2, 1)),
       PoolOptions{.reservation = "r1", .dynamic_slicing = true, .slices = 16},
       Texts{"container clusters update $CLUSTER --enable-slice-controller",
             "compute resource-policies create workload-policy tpu7x-4x4x4-blocks --region=$REGION "
             "--type=HIGH_THROUGHPUT --accelerator-topology=4x4x4 "
             "--accelerator-topology-mode=provision_only",
             "container node-pools create tpu7x-4x4x4-block --machine-type=tpu7x-standard-4t "
             "--placement-policy=tpu7x-4x4x4-blocks --num-nodes=16 --reservation-affinity=specific "
             "--reservation=r1"}},
      {"dranet_makes_two_networks", pool_of("tpu-v6e-slice", Dims(4, 4)),
       PoolOptions{.dranet = true},
       Texts{"compute networks create $CLUSTER-net-1 --subnet-mode=custom --mtu=8896",
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
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Texts found;
    for (const auto& command : gcloud_commands(c.pool, c.options)) {
      EXPECT_EQ(command.words.front(), "gcloud");
      found.push_back(flags(command));
    }
    EXPECT_EQ(found, c.want);
  }
}

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

// docs/catalog.md shows a whole loop, too.
TEST(Gcloud, loops_over_more_pools_than_anybody_reads) {
  const auto pool = pool_of("tpu-v6e-slice", Dims(4, 4));
  const auto four = gcloud_script(pool, {.slices = 4});
  EXPECT_THAT(four, testing::HasSubstr("create v6e-4x4-4t-3 "));
  EXPECT_THAT(four, Not(testing::HasSubstr("for i in")));
  EXPECT_THAT(
      gcloud_script(pool, {.slices = 5}),
      testing::StartsWith(
          "for i in $(seq 0 4); do\n  gcloud container node-pools create v6e-4x4-4t-$i \\\n"));
  EXPECT_EQ(gcloud_commands(pool, {.slices = 5}).size(), 5u);
}

// What comes before the pools is there, too.
TEST(Gcloud, counts_on_behind_pools_that_are_there) {
  const auto pool = pool_of("tpu7x", Dims(2, 2, 2), 4);
  std::vector<std::string> names;
  for (const auto& command : gcloud_commands(pool, {.slices = 2, .before = 3}))
    names.push_back(command.words[4]);
  EXPECT_EQ(names, (Texts{"tpu7x-2x2x2-4t-3", "tpu7x-2x2x2-4t-4"}));
  EXPECT_EQ(gcloud_commands(pool, {.before = 1}).front().words[4], "tpu7x-2x2x2-4t-1");
}

TEST(Gcloud, is_typed_a_flag_to_a_line) {
  EXPECT_EQ((GcloudCommand{{"gcloud", "do", "it", "--a=1", "--b"}}.text()),
            "gcloud do it \\\n    --a=1 \\\n    --b");
}

}  // namespace
}  // namespace tpuwh::server::catalog
