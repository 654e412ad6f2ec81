#include "tests/fuzz/targets.hpp"

namespace tpuwh::fuzz {

std::span<const Target> targets() {
  static constexpr Target all[] = {{"input", input},       {"manifest", manifest}, {"rules", rules},
                                   {"settings", settings}, {"snapshot", snapshot}, {"yaml", yaml}};
  return all;
}

}  // namespace tpuwh::fuzz
