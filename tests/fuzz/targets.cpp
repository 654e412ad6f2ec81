#include "tests/fuzz/targets.hpp"

namespace tpuwh::fuzz {

std::span<const Target> targets() {
  static constexpr Target all[] = {
      {"review", review},         {"quantity", quantity}, {"dims", dims},
      {"provenance", provenance}, {"http", http},         {"http_response", http_response},
      {"watch", watch},           {"tls", tls},           {"admit", admit},
      {"patch", patch},           {"pem", pem},
  };
  return all;
}

}  // namespace tpuwh::fuzz
