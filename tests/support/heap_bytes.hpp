// How much of the heap is in use, for tests of what is kept.
#pragma once

#include <malloc.h>

#include <cstddef>

// AddressSanitizer's own count: it has the heap then, and mallinfo2() knows nothing.
extern "C" std::size_t __attribute__((weak)) __sanitizer_get_current_allocated_bytes();

namespace tpuwh::test {

inline std::size_t heap_bytes() {
  if (__sanitizer_get_current_allocated_bytes != nullptr)
    return __sanitizer_get_current_allocated_bytes();
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace tpuwh::test
