// X.509 as a caller looks at it: public parts alone.
#pragma once

#include "base/result.hpp"
#include "server/tls/context.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::x509 {

struct CertificateDates {
  std::string subject;  // "CN=tpu-webhook CA"
  tls::SystemTime not_before, not_after;
};

// Every certificate of a PEM text, in its order.
//
//   errors  bad_value: there is none, or one that cannot be read
Result<std::vector<CertificateDates>> read_certificates(const std::string& pem);

// Whether the API server, which trusts `roots` alone, would accept `chain` (the leaf first) as
// the server `host` at `now`. As Go does it, a certificate in `roots` need not be self-signed.
//
//   errors  bad_value: why not, a sentence
Result<void> verify_chain(const std::string& chain, const std::string& roots,
                          const std::string& host, tls::SystemTime now);

// Whether a private key, PEM, is that of the first certificate of a PEM text.
bool belongs_to(const std::string& key, const std::string& certificate);

}  // namespace tpuwh::server::x509
