// Counts what a program allocates: whoever links it has its operator new and delete.
#pragma once

#include <cstddef>

namespace tpuwh::bench {

// So far.
std::size_t allocations();

}  // namespace tpuwh::bench
