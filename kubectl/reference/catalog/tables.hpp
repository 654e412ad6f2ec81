// The tables of `catalog` as text for people.
#pragma once

#include "topology/catalog.hpp"

#include <span>
#include <string>

namespace tpuwh::server::catalog {

// Every generation with its machine types, and what the names of the sources stand for.
std::string all_generations_text(bool colour);

// The shapes of one generation; only those in `dims` unless that is empty. Of more than fit a
// screen, unless `all`: those that most programs know (rows with most sources), and how many more.
std::string generation_text(const topology::Generation& generation,
                            std::span<const topology::Dims> dims, bool all, bool colour);

}  // namespace tpuwh::server::catalog
