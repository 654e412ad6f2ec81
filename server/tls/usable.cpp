#include "server/tls/usable.hpp"

#include "server/tls/openssl_ptr.hpp"

#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>
#include <string_view>

namespace tpuwh::server::tls {
namespace {

using SslContextPtr = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;
using SslOwner = std::unique_ptr<SSL, Free<SSL_free>>;

// Below: security level 2, as the NIST has it until 2030; above, crypto/tls of Go refuses.
constexpr int least_rsa_bits = 2048, most_rsa_bits = 8192;

constexpr std::string_view wanted_key =
    "expected RSA of 2048 to 8192 bits, ECDSA on P-256, P-384 or P-521, or Ed25519";

std::string group_of(const EVP_PKEY* key) {
  int is_explicit = 0;
  EVP_PKEY_get_int_param(key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &is_explicit);
  if (is_explicit != 0) return "parameters without a name";
  std::array<char, 80> name{};
  if (EVP_PKEY_get_group_name(key, name.data(), name.size(), nullptr) != 1) return "no known curve";
  return name.data();
}

std::optional<std::string> fault_of_key(const EVP_PKEY* key) {
  if (key == nullptr)
    return fmt::format("certificate has a key of a kind that is not known; {}", wanted_key);
  const int bits = EVP_PKEY_get_bits(key);
  if (EVP_PKEY_is_a(key, "ED25519") == 1) return std::nullopt;
  if (EVP_PKEY_is_a(key, "RSA") == 1) {
    if (bits >= least_rsa_bits && bits <= most_rsa_bits) return std::nullopt;
    return fmt::format("certificate has an RSA key of {} bits, which clients refuse; {}", bits,
                       wanted_key);
  }
  if (EVP_PKEY_is_a(key, "EC") == 1) {
    const std::string group = group_of(key);
    if (group == "prime256v1" || group == "secp384r1" || group == "secp521r1") return std::nullopt;
    return fmt::format("certificate has an ECDSA key on {}, which clients do not know; {}", group,
                       wanted_key);
  }
  const char* name = EVP_PKEY_get0_type_name(key);
  return fmt::format("certificate has a key of type {}, which clients do not accept; {}",
                     name != nullptr ? name : "unknown", wanted_key);
}

// That of a certificate that signed itself as well: who trusts it need not check that, but no
// issuer of today makes one.
std::optional<std::string> fault_of_signature(X509* certificate) {
  int digest = NID_undef, key = NID_undef;
  const bool known = X509_get_signature_info(certificate, &digest, &key, nullptr, nullptr) == 1;
  const bool good_digest = digest == NID_sha256 || digest == NID_sha384 || digest == NID_sha512;
  const bool good_key = key == EVP_PKEY_RSA || key == EVP_PKEY_RSA_PSS || key == EVP_PKEY_EC;
  if (key == EVP_PKEY_ED25519 || (known && good_digest && good_key)) return std::nullopt;
  const char* name = OBJ_nid2ln(X509_get_signature_nid(certificate));
  return fmt::format(
      "certificate is signed with {}, which clients refuse; expected SHA-256, SHA-384 or SHA-512 "
      "with RSA or ECDSA, or Ed25519",
      name != nullptr ? name : "an algorithm that is not known");
}

std::optional<std::string> fault_of_purpose(X509* certificate) {
  if ((X509_get_extension_flags(certificate) & EXFLAG_XKUSAGE) == 0) return std::nullopt;
  if ((X509_get_extended_key_usage(certificate) & (XKU_SSL_SERVER | XKU_ANYEKU)) != 0)
    return std::nullopt;
  return "certificate's extendedKeyUsage does not hold serverAuth, so clients refuse it as a "
         "server's; expected serverAuth in it, or no extendedKeyUsage";
}

std::optional<std::string> fault_of_names(const X509* certificate) {
  const AltNamesPtr names = alt_names(certificate);
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const int type = sk_GENERAL_NAME_value(names.get(), i)->type;
    if (type == GEN_DNS || type == GEN_IPADD) return std::nullopt;
  }
  return "certificate has no DNS name or IP address in subjectAltName, and clients look for the "
         "server's name nowhere else; expected the Service's, such as "
         "DNS:tpu-webhook.tpu-webhook-system.svc";
}

std::optional<std::string> fault_of_form(X509* certificate) {
  const std::uint32_t flags = X509_get_extension_flags(certificate);
  if ((flags & EXFLAG_INVALID) != 0) return "certificate has an extension that cannot be read";
  if ((flags & EXFLAG_CRITICAL) != 0)
    return "certificate has a critical extension that clients do not know, so they refuse it; "
           "expected no such extension, or one that is not critical";
  if ((ASN1_STRING_type(X509_get0_serialNumber(certificate)) & V_ASN1_NEG) != 0)
    return "certificate has a serial number below zero, which clients refuse; expected a positive "
           "one";
  return std::nullopt;
}

// What Go's client offers (crypto/tls, defaultSupportedSignatureAlgorithms).
constexpr auto client_signatures =
    "rsa_pss_rsae_sha256:ECDSA+SHA256:ed25519:rsa_pss_rsae_sha384:rsa_pss_rsae_sha512:RSA+SHA256:"
    "RSA+SHA384:RSA+SHA512:ECDSA+SHA384:ECDSA+SHA512";
constexpr auto client_groups = "X25519:P-256:P-384:P-521";

SslOwner make_client() {
  const SslContextPtr context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr || SSL_CTX_set1_sigalgs_list(context.get(), client_signatures) != 1 ||
      SSL_CTX_set1_groups_list(context.get(), client_groups) != 1)
    return nullptr;
  SSL_CTX_set_security_level(context.get(), 0);  // it is the server's that is tried
  return SslOwner(SSL_new(context.get()));
}

// One step of either end. Whether it may go on.
bool step(SSL* end) {
  const int result = SSL_do_handshake(end);
  if (result == 1) return true;
  const int why = SSL_get_error(end, result);
  return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
}

}  // namespace

std::optional<std::string> why_unusable(X509* certificate) {
  // Reads the extensions once; the flags below are its.
  X509_check_purpose(certificate, -1, 0);
  auto fault = fault_of_key(X509_get0_pubkey(certificate));
  if (!fault) fault = fault_of_signature(certificate);
  if (!fault) fault = fault_of_purpose(certificate);
  if (!fault) fault = fault_of_names(certificate);
  if (!fault) fault = fault_of_form(certificate);
  ERR_clear_error();
  return fault;
}

std::optional<std::string> why_no_handshake(SSL_CTX* server_context) {
  const SslOwner server(SSL_new(server_context)), client = make_client();
  BIO *one = nullptr, *other = nullptr;
  if (server == nullptr || client == nullptr || BIO_new_bio_pair(&one, 0, &other, 0) != 1) {
    ERR_clear_error();
    return std::nullopt;  // no memory: nothing about the certificate
  }
  SSL_set_accept_state(server.get());
  SSL_set_connect_state(client.get());
  SSL_set_bio(server.get(), one, one);
  SSL_set_bio(client.get(), other, other);
  // Each flight takes a step or two; a chain that does not fit the pair's 17 KiB some more.
  constexpr int most_steps = 100;
  bool goes_on = true;
  for (int i = 0; goes_on && i < most_steps; ++i) {
    goes_on = step(client.get()) && step(server.get());
    if (SSL_is_init_finished(client.get()) == 1 && SSL_is_init_finished(server.get()) == 1) {
      ERR_clear_error();
      return std::nullopt;
    }
  }
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return fmt::format("no client can connect with the certificate: {}",
                     reason != nullptr ? reason : "the handshake does not end");
}

}  // namespace tpuwh::server::tls
