// The answers of `catalog` for programs; the keys are documented in docs/contract.md.
#pragma once

#include "server/tools/reference/catalog/pool_options.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>

namespace tpuwh::server::catalog {

nlohmann::ordered_json all_generations_json();
nlohmann::ordered_json generation_json(const topology::Generation& generation,
                                       std::span<const topology::Dims> dims);
nlohmann::ordered_json shapes_json(std::span<const topology::layout::NodePool> pools,
                                   const PoolOptions& options);

}  // namespace tpuwh::server::catalog
