// Issues certificates: a CA, and leaves that it signs. All keys are ECDSA P-256, which gives 27
// times as many signatures per core as RSA-2048 (docs/facts.md#handshake-cost).
//
// Each function throws std::runtime_error with a sentence if OpenSSL fails.
#pragma once

#include "server/tls/context.hpp"

#include <chrono>
#include <span>
#include <string>

namespace tpuwh::server::x509 {

// Each certificate begins so long before `now`, for callers whose clock is behind.
inline constexpr auto issued_slack = std::chrono::hours(1);

// Returns a CA with its key, which signs leaves and no other CA.
tls::Pair issue_authority(tls::SystemTime now, std::chrono::hours life);

// Returns a server's certificate. Each of `names` becomes a subject alternative name, DNS or, for
// an address, IP; a name that no certificate can carry is an exception.
tls::Pair issue_leaf(const tls::Pair& authority, std::span<const std::string> names,
                     tls::SystemTime now, std::chrono::hours life);

}  // namespace tpuwh::server::x509
