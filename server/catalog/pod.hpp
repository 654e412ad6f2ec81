// What a Pod has to say to land on the nodes of a pool.
#pragma once

#include "server/catalog/pool_options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::catalog {

// Key and value, in the order to write them.
std::vector<std::pair<std::string, std::string>> node_selector(const topology::NodePool& pool,
                                                               const PoolOptions& options);

// The lines of a Pod's spec as YAML: selector and limit; with --dranet also the claim of
// network devices, and before it the template that the claim names.
std::string pod_yaml(const topology::NodePool& pool, const PoolOptions& options);

}  // namespace tpuwh::server::catalog
