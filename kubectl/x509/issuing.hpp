// Issues CA certificates, and server certificates (leaves) that a CA signs. All keys are ECDSA
// P-256, which gives 27 times as many signatures per core as RSA-2048
// (docs/facts.md#handshake-cost).
//
// If OpenSSL fails, each function throws std::runtime_error, whose message is a sentence.
#pragma once

#include "server/tls/context.hpp"

#include <chrono>
#include <span>
#include <string>

namespace tpuwh::server::x509 {

// Each certificate becomes valid this long before `now`, so that callers whose clocks are behind
// also accept the certificate.
inline constexpr auto issued_slack = std::chrono::hours(1);

// Returns a new CA certificate and its key. The CA is allowed to sign leaves but no other CA.
tls::Pair issue_authority(tls::SystemTime now, std::chrono::hours life);

// Returns a server's certificate, signed by the CA `authority`, and its private key. Each of
// `names` becomes a subject alternative name: type IP for an address, otherwise DNS. Throws
// std::runtime_error if a name is neither an address nor a DNS name.
tls::Pair issue_leaf(const tls::Pair& authority, std::span<const std::string> names,
                     tls::SystemTime now, std::chrono::hours life);

}  // namespace tpuwh::server::x509
