// The entry that libFuzzer calls; TPUWH_FUZZ_TARGET names the target.

#include "tests/fuzz/growth.hpp"
#include "tests/fuzz/targets.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using tpuwh::fuzz::Target;

// Beside libFuzzer's own figures (-print_final_stats=1).
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  return std::atexit([] {
    const auto& most = tpuwh::fuzz::most_growth();
    if (most.heap_per_byte > 0)
      std::fprintf(stderr, "stat::most_growth: time x%.1f, heap %.1f a byte\n", most.times,
                   most.heap_per_byte);
  });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Target target =
      *std::ranges::find(tpuwh::fuzz::targets(), TPUWH_FUZZ_TARGET, &Target::name);
  try {
    target.run({reinterpret_cast<const char*>(data), size});
  } catch (const std::exception& broken) {
    std::fprintf(stderr, "BROKEN: %s\n", broken.what());
    std::abort();
  }
  return 0;
}
