// A certificate for tests of what a server does with one.
#pragma once

#include "kubectl/x509/issuing.hpp"

#include <chrono>
#include <span>
#include <string>

namespace tpuwh::test {

// Longer than any test's clock goes.
inline constexpr auto issued_life = std::chrono::hours(24 * 3650);

struct Issued {
  std::string ca;  // PEM
  server::tls::Pair pair;
};

// Returns a certificate for these names, signed by a CA of its own.
inline Issued issue(std::span<const std::string> names, server::tls::SystemTime now) {
  const auto authority = server::x509::issue_authority(now, issued_life);
  return {.ca = authority.certificates,
          .pair = server::x509::issue_leaf(authority, names, now, issued_life)};
}

}  // namespace tpuwh::test
