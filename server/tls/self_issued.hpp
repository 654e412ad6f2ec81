// A certificate for a server that was given none: a fresh CA, and a leaf signed by
// it. The CA's certificate is what callers must trust (caBundle); its key never
// leaves this function.
#pragma once

#include "server/tls/context.hpp"

#include <chrono>
#include <span>
#include <string>

namespace tpuwh::server::tls {

struct SelfIssued {
  std::string ca;  // PEM
  Pair pair;
};

// How long both are good for. The leaf's key lives in one process's memory, and a
// process that outlived its certificate would stop every Pod of the cluster.
inline constexpr auto self_issued_life = std::chrono::hours(24 * 3650);

// The begin of both, before `now`: for callers whose clock is behind.
inline constexpr auto self_issued_slack = std::chrono::hours(1);

// ECDSA P-256 throughout: 27 times as many signatures per core as RSA-2048
// (docs/facts.md#handshake-cost). `names` become DNS or, where they are addresses, IP subject
// alternative names. Throws std::runtime_error for a name no certificate can carry.
SelfIssued issue(std::span<const std::string> names, SystemTime now);

}  // namespace tpuwh::server::tls
