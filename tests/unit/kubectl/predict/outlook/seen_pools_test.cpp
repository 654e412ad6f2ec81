#include "kubectl/predict/outlook/seen_pools.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tpuwh::server::outlook {
namespace {

using webhook::pools::Node;
using webhook::pools::Pools;
using webhook::pools::slice_id;
namespace key = webhook::read::key;

const std::string one_slice(32, '1'), another_slice(32, '2');

void put(Pools& pools, const std::string& pool, int number, bool cordoned = false) {
  Node node{.name = pool + "-" + std::to_string(number), .chips = 4};
  node.labels.add(key::node_pool, pool);
  node.labels.add(key::accelerator, "tpu-v6e-slice");
  node.labels.add(key::topology, "4x4");
  node.unschedulable = cordoned;
  pools.put(std::move(node));
}

// "a: usable held", for each pool.
std::vector<std::string> told(const std::vector<SeenPool>& pools) {
  using webhook::pools::Stand;
  std::vector<std::string> out;
  for (const SeenPool& pool : pools) {
    std::string line = std::string(pool.name) + ":";
    for (const SeenHost& host : pool.hosts)
      line += host.stand == Stand::usable         ? " usable"
              : host.stand == Stand::held         ? " held"
              : host.stand == Stand::not_selected ? " not-selected"
                                                  : " unusable";
    out.push_back(line);
  }
  return out;
}

TEST(SeenPools, are_looked_at_host_by_host) {
  using Names = std::vector<std::string>;
  Pools pools;
  for (int number = 3; number >= 0; --number) {
    put(pools, "a", number, number == 3);
    put(pools, "b", number);
  }
  pools.hold("a-1", {.slice = slice_id(another_slice), .chips = 4});
  pools.hold("a-2", {.chips = 1});
  pools.hold("b-0", {.slice = slice_id(one_slice), .chips = 4});
  webhook::read::Pod pod;
  webhook::read::PoolQuestion question{.pod = pod,
                                       .accelerator = "tpu-v6e-slice",
                                       .topology = "4x4",
                                       .hosts = 4,
                                       .chips_per_host = 4,
                                       .slice_key = one_slice};
  EXPECT_EQ(told(pools_of(pools, question)),
            (Names{"a: usable held held unusable", "b: usable usable usable usable"}));
  pod.node_selector = {{key::node_pool, "b"}};
  EXPECT_EQ(told(pools_of(pools, question)),
            (Names{"a: not-selected not-selected not-selected not-selected",
                   "b: usable usable usable usable"}));
  question.topology = "2x4";
  EXPECT_TRUE(pools_of(pools, question).empty());
}

TEST(SeenPools, are_counted_by_shape) {
  Pools pools;
  EXPECT_TRUE(shapes_of(pools).empty());
  for (const char* pool : {"a", "b"})
    for (int number = 0; number < 2; ++number) put(pools, pool, number);
  const auto shapes = shapes_of(pools);
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes.front().accelerator, "tpu-v6e-slice");
  EXPECT_EQ(shapes.front().topology, "4x4");
  EXPECT_EQ(shapes.front().pools, 2u);
}

}  // namespace
}  // namespace tpuwh::server::outlook
