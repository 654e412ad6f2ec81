// The gcloud commands that make the node pools of a slice.
#pragma once

#include "kubectl/reference/catalog/pool_options.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::catalog {

// One command, word by word: words[0] is "gcloud". Names that only the caller knows are
// shell variables: $CLUSTER, $LOCATION (of the control plane), $ZONE (of the TPUs), $REGION,
// $RESERVATION (where --dynamic-slicing needs one and none is named).
struct GcloudCommand {
  std::vector<std::string> words;
  // As typed into a shell: a flag to a line.
  std::string text() const;
};

// Of the first pool; of several, what stands before the number of each.
std::string pool_name(const topology::layout::NodePool& pool, const PoolOptions& options);

// Networks (--dranet), slice controller (--dynamic-slicing), workload policy (tpu7x), node pools:
// in the order to run them.
// `options` has passed complaint().
std::vector<GcloudCommand> gcloud_commands(const topology::layout::NodePool& pool,
                                           const PoolOptions& options);

// The same as a shell script; more than four node pools are a loop.
std::string gcloud_script(const topology::layout::NodePool& pool, const PoolOptions& options);

}  // namespace tpuwh::server::catalog
