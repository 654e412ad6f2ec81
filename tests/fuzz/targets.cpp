#include "tests/fuzz/targets.hpp"

namespace tpuwh::fuzz {

std::span<const Target> targets() {
  static constexpr Target all[] = {
      {"review", review},         {"quantity", quantity}, {"dims", dims},
      {"provenance", provenance}, {"input", input},       {"watch", watch},
  };
  return all;
}

}  // namespace tpuwh::fuzz
