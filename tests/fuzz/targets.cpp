#include "tests/fuzz/targets.hpp"

namespace tpuwh::fuzz {

std::span<const Target> targets() {
  static constexpr Target all[] = {
      {"review", review},     {"quantity", quantity},
      {"dims", dims},         {"provenance", provenance},
      {"input", input},       {"watch", watch},
      {"http", http},         {"http_response", http_response},
      {"tls", tls},           {"admit", admit},
      {"manifest", manifest}, {"snapshot", snapshot},
      {"settings", settings}, {"yaml", yaml},
      {"pem", pem},           {"kubeconfig", kubeconfig},
      {"patch", patch},
  };
  return all;
}

}  // namespace tpuwh::fuzz
