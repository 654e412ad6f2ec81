// The sources that rows of the catalog cite; others in its file are cited by remarks alone.
#pragma once

#include "topology/catalog.hpp"

#include <vector>

namespace tpuwh::server::catalog {

std::vector<topology::Source> cited_sources();

}  // namespace tpuwh::server::catalog
