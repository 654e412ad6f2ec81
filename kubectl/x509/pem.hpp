// PEM as OpenSSL's certificates.
#pragma once

#include "base/result.hpp"
#include "server/tls/openssl_ptr.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::x509 {

using tls::BioPtr;
using tls::CertificatePtr;
using tls::KeyPtr;

// In its order.
//
//   errors  bad_value: there is none, or one that cannot be read
Result<std::vector<CertificatePtr>> read_pem(const std::string& pem);

// "CN=tpu-webhook CA"
std::string subject(const X509* certificate);

}  // namespace tpuwh::server::x509
