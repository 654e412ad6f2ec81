// What a Pod has to say to land on the nodes of a pool.
#pragma once

#include "kubectl/reference/catalog/pool_options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::catalog {

// In the order to write them.
using KeysAndValues = std::vector<std::pair<std::string, std::string>>;

// A dynamic slice is asked for by an annotation.
KeysAndValues pod_annotations(const topology::layout::NodePool& pool, const PoolOptions& options);
// A dynamic slice selects no topology: its nodes have none before it is formed.
KeysAndValues node_selector(const topology::layout::NodePool& pool, const PoolOptions& options);

// The lines of a Pod as YAML: annotations, selector and limit; with --dranet also the claim of
// network devices, and before it the template that the claim names.
std::string pod_yaml(const topology::layout::NodePool& pool, const PoolOptions& options);

}  // namespace tpuwh::server::catalog
