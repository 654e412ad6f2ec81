#include "kubectl/x509/issuing.hpp"

#include "kubectl/x509/pem.hpp"
#include "server/net/address.hpp"
#include "server/tls/openssl_ptr.hpp"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace tpuwh::server::x509 {
namespace {

using ExtensionPtr = std::unique_ptr<X509_EXTENSION, tls::Free<X509_EXTENSION_free>>;

void check(bool ok, std::string_view what) {
  if (!ok) throw std::runtime_error(fmt::format("issuing a certificate: {}", what));
}

KeyPtr make_key() {
  KeyPtr key(EVP_EC_gen("P-256"));
  check(key != nullptr, "no key");
  return key;
}

void set_serial(X509* certificate) {
  std::array<unsigned char, 16> bytes{};
  check(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1, "no random serial");
  bytes[0] = (bytes[0] & 0x7f) | 0x40;  // positive, and always 16 bytes
  BIGNUM* number = BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr);
  const bool done = BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr;
  BN_free(number);
  check(done, "serial");
}

void set_dates(X509* certificate, tls::SystemTime now, std::chrono::hours life) {
  const auto seconds = [](tls::SystemTime time) {
    return std::chrono::system_clock::to_time_t(time);
  };
  ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(now - issued_slack));
  ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(now + life));
}

void set_name(X509_NAME* name, const std::string& common_name) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(common_name.c_str());
  check(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, bytes, -1, -1, 0) == 1, "name");
}

void add_extension(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
  check(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1, value);
}

CertificatePtr begin_certificate(const std::string& common_name, EVP_PKEY* key, tls::SystemTime now,
                                 std::chrono::hours life) {
  CertificatePtr certificate(X509_new());
  check(certificate != nullptr, "no memory");
  X509_set_version(certificate.get(), X509_VERSION_3);
  set_serial(certificate.get());
  set_dates(certificate.get(), now, life);
  set_name(X509_get_subject_name(certificate.get()), common_name);
  check(X509_set_pubkey(certificate.get(), key) == 1, "public key");
  return certificate;
}

void sign(X509* certificate, X509* issuer, EVP_PKEY* issuer_key) {
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
  check(X509_sign(certificate, issuer_key, EVP_sha256()) > 0, "signing");
}

CertificatePtr make_ca(EVP_PKEY* key, tls::SystemTime now, std::chrono::hours life) {
  auto ca = begin_certificate("tpu-webhook CA", key, now, life);
  add_extension(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
  add_extension(ca.get(), ca.get(), NID_subject_key_identifier, "hash");
  sign(ca.get(), ca.get(), key);
  return ca;
}

// Also keeps commas and colons, which separate the names of an extension, out of it.
bool is_dns_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '*';
  };
  return !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), allowed);
}

std::string alternative_names(std::span<const std::string> names) {
  std::string text;
  for (const auto& name : names) {
    const bool address = net::is_address(name);
    check(address || is_dns_name(name), fmt::format("\"{}\" is not a host name", name));
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", address ? "IP" : "DNS", name);
  }
  check(!text.empty(), "no host name");
  return text;
}

CertificatePtr make_leaf(std::span<const std::string> names, EVP_PKEY* key, X509* ca,
                         EVP_PKEY* ca_key, tls::SystemTime now, std::chrono::hours life) {
  auto leaf = begin_certificate("tpu-webhook", key, now, life);
  add_extension(leaf.get(), ca, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(leaf.get(), ca, NID_key_usage, "critical,digitalSignature");
  add_extension(leaf.get(), ca, NID_ext_key_usage, "serverAuth");
  add_extension(leaf.get(), ca, NID_authority_key_identifier, "keyid:always");
  add_extension(leaf.get(), ca, NID_subject_alt_name, alternative_names(names));
  sign(leaf.get(), ca, ca_key);
  return leaf;
}

template <class Write>
std::string to_pem(Write write) {
  const BioPtr memory(BIO_new(BIO_s_mem()));
  check(memory != nullptr && write(memory.get()) == 1, "PEM");
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::string to_pem(X509* certificate) {
  return to_pem([certificate](BIO* out) { return PEM_write_bio_X509(out, certificate); });
}

std::string to_pem(EVP_PKEY* key) {
  return to_pem([key](BIO* out) {
    return PEM_write_bio_PKCS8PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

// read_certificate() and read_key() read the certificate and the private key of a CA from PEM.
CertificatePtr read_certificate(const std::string& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  CertificatePtr certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  check(certificate != nullptr, "the authority's certificate cannot be read");
  return certificate;
}

KeyPtr read_key(const std::string& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  check(key != nullptr, "the authority's key cannot be read");
  return key;
}

}  // namespace

tls::Pair issue_authority(tls::SystemTime now, std::chrono::hours life) {
  const auto key = make_key();
  const auto certificate = make_ca(key.get(), now, life);
  return {.certificates = to_pem(certificate.get()), .key = to_pem(key.get())};
}

tls::Pair issue_leaf(const tls::Pair& authority, std::span<const std::string> names,
                     tls::SystemTime now, std::chrono::hours life) {
  const auto ca = read_certificate(authority.certificates);
  const auto ca_key = read_key(authority.key);
  const auto key = make_key();
  const auto leaf = make_leaf(names, key.get(), ca.get(), ca_key.get(), now, life);
  return {.certificates = to_pem(leaf.get()), .key = to_pem(key.get())};
}

}  // namespace tpuwh::server::x509
