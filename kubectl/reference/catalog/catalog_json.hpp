// The answers of `catalog` for programs; the keys are documented in docs/contract.md.
#pragma once

#include "kubectl/reference/catalog/pool_options.hpp"
#include "server/text/json.hpp"

#include <span>

namespace tpuwh::server::catalog {

Json all_generations_json();
Json generation_json(const topology::Generation& generation, std::span<const topology::Dims> dims);
Json shapes_json(std::span<const topology::layout::NodePool> pools, const PoolOptions& options);

}  // namespace tpuwh::server::catalog
