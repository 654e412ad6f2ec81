// How often this program has called operator new: for functions whose header says
// that they do not allocate.
#pragma once

#include <cstddef>

std::size_t allocations();
