// The entry that libFuzzer calls; TPUWH_FUZZ_TARGET names the target.

#include "tests/fuzz/targets.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using tpuwh::fuzz::Target;

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
