// Certificates that the server issues: a CA, and leaves signed by it. ECDSA P-256 throughout: 27
// times as many signatures per core as RSA-2048 (docs/facts.md#handshake-cost).
//
// All throw std::runtime_error with a sentence where OpenSSL fails.
#pragma once

#include "server/tls/context.hpp"

#include <chrono>
#include <span>
#include <string>

namespace tpuwh::server::tls {

// The begin of whatever is issued, before `now`: for callers whose clock is behind.
inline constexpr auto issued_slack = std::chrono::hours(1);

// A CA with its key, which signs leaves and no other CA.
Pair issue_authority(SystemTime now, std::chrono::hours life);

// A server's certificate. `names` become DNS or, where they are addresses, IP subject alternative
// names; throws for a name that no certificate can carry.
Pair issue_leaf(const Pair& authority, std::span<const std::string> names, SystemTime now,
                std::chrono::hours life);

// For a server that was given no certificate: a CA whose certificate callers must trust
// (caBundle) and whose key never leaves the function, and a leaf.
struct SelfIssued {
  std::string ca;  // PEM
  Pair pair;
};
SelfIssued issue(std::span<const std::string> names, SystemTime now);

// How long both are good for. The leaf's key lives in one process's memory, and a
// process that outlived its certificate would stop every Pod of the cluster.
inline constexpr auto self_issued_life = std::chrono::hours(24 * 3650);

}  // namespace tpuwh::server::tls
