// The sources that rows of the catalog cite; the file knows some that only its remarks do.
#pragma once

#include "topology/catalog.hpp"

#include <vector>

namespace tpuwh::server::catalog {

std::vector<topology::Source> cited_sources();

}  // namespace tpuwh::server::catalog
