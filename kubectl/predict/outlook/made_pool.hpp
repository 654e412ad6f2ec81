// The node pool that a printed command would make: its Node as GKE labels it, and whether the Pods
// could stand on it. A command that makes a pool for nobody is not printed.
#pragma once

#include "kubectl/predict/outlook/member.hpp"
#include "kubectl/reference/catalog/pool_options.hpp"
#include "webhook/pools/node.hpp"

#include <string>

namespace tpuwh::server::outlook {

// One of its nodes (docs/facts.md#capacity-labels).
webhook::pools::Node made_node(const topology::layout::NodePool& pool,
                               const catalog::PoolOptions& options);

// A pool for the Pods of `member`, or why there is none.
struct MadePool {
  std::optional<topology::layout::NodePool>
      pool;                      // nothing where the catalog does not know the shape
  catalog::PoolOptions options;  // with the name and the labels that the Pods select
  std::string why_not;           // "" where it can hold them
  // "" or what the Pods select that no machine of their shape has, whoever makes the nodes:
  // "the Pods select cloud.google.com/gke-accelerator-count=8, and …"
  std::string no_machine;
};

// What a pool is asked for.
struct Wanted {
  std::uint32_t slices = 1;
  std::uint32_t each_pool = 0;  // single-host slices that a pool may hold; 0 for all
  bool of_blocks = false;       // the slice is put together on demand
  bool networks = false;        // the Pods claim networks beside the cluster's
};

MadePool made_pool(const Member& member, const Wanted& wanted);

}  // namespace tpuwh::server::outlook
