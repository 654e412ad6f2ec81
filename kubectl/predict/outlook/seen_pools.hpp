// The node pools of a cluster, as commands look at them: host by host, where a review asks for the
// names of some (webhook/pools/pools.hpp).
#pragma once

#include "webhook/pools/fit.hpp"
#include "webhook/pools/pools.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace tpuwh::server::outlook {

// A node, as whoever asks finds it.
struct SeenHost {
  const webhook::pools::Node* node;
  webhook::pools::Stand stand;
};
struct SeenPool {
  std::string_view name;
  std::vector<SeenHost> hosts;  // by name
};

// Every pool of the question's shape, by name, each with all its hosts: a review's judgement, with
// every holder counted but those of the question's slice. Views into `pools`.
std::vector<SeenPool> pools_of(const webhook::pools::Pools& pools,
                               const webhook::read::PoolQuestion& question);

// A shape of which a cluster has node pools.
struct SeenShape {
  std::string_view accelerator, topology;
  std::size_t pools;
};
// By accelerator and topology.
std::vector<SeenShape> shapes_of(const webhook::pools::Pools& pools);

}  // namespace tpuwh::server::outlook
