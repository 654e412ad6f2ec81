// Whether the API server could accept a certificate of ours at all, whatever it trusts.
#pragma once

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <optional>
#include <string>

namespace tpuwh::server::tls {

// Why no API server takes it, and what would be right, a sentence; nothing if one might. Go's
// crypto/tls and crypto/x509, which it uses, and our own settings decide: the kind and size of the
// key, the signature, extendedKeyUsage, subjectAltName, critical extensions, the serial number.
std::optional<std::string> why_unusable(X509* certificate);

// The same of what no look at the certificate tells: a handshake in memory, with a client that has
// what Go's has. Nothing if it succeeds.
std::optional<std::string> why_no_handshake(SSL_CTX* server);

}  // namespace tpuwh::server::tls
