// Whether the API server would take a certificate, and if not, what is wrong: each cause has a fix
// of its own.
//
//   source  Go 1.26: crypto/x509 verify.go and parser.go, which the API server calls with;
//           tests/server/trust/trust.py holds the answers against that verifier's
#pragma once

#include "server/tls/context.hpp"

#include <optional>
#include <string>

namespace tpuwh::server::x509 {

enum class Refusal {
  unreadable,  // it is no PEM chain
  unusable,    // no API server takes such a certificate, whatever it trusts (usable.hpp)
  dates,       // one of the chain has expired, or is not valid yet
  name,        // it is for other names
  constraint,  // its CA may not sign for this name
  authority,   // no trusted CA has signed the certificate
};

struct Untrusted {
  Refusal why;
  std::string what;  // a sentence
};

// Why an API server that trusts `roots` alone would refuse `chain` (the leaf first) as the server
// `host` at `now`; nothing if it would not. As Go does it, a certificate in `roots` need not be
// self-signed.
std::optional<Untrusted> why_untrusted(const std::string& chain, const std::string& roots,
                                       const std::string& host, tls::SystemTime now);

}  // namespace tpuwh::server::x509
