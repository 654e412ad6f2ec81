// What a person should know about a shape beside its numbers, a sentence each.
#pragma once

#include "kubectl/reference/catalog/pool_options.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::catalog {

std::vector<std::string> notes(const topology::layout::NodePool& pool, const PoolOptions& options);

}  // namespace tpuwh::server::catalog
