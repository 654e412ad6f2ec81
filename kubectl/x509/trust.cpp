#include "kubectl/x509/trust.hpp"

#include "kubectl/x509/pem.hpp"
#include "server/tls/usable.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string_view>
#include <vector>

namespace tpuwh::server::x509 {

namespace {

using StorePtr = std::unique_ptr<X509_STORE, tls::Free<X509_STORE_free>>;
using StoreContextPtr = std::unique_ptr<X509_STORE_CTX, tls::Free<X509_STORE_CTX_free>>;

void free_stack(STACK_OF(X509) * stack) {
  sk_X509_free(stack);
}  // not what is in it
using StackPtr = std::unique_ptr<STACK_OF(X509), tls::Free<free_stack>>;

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

// A "*" stands for the whole first label, and for no more. source: x509.matchHostnames
bool matches(std::string pattern, std::string host) {
  pattern = lower(pattern);
  host = lower(host);
  if (host.ends_with('.')) host.pop_back();
  if (pattern.empty() || host.empty()) return false;
  if (!pattern.starts_with("*.")) return pattern == host;
  const std::size_t dot = host.find('.');
  return dot != host.npos && dot > 0 && host.substr(dot) == pattern.substr(1);
}

std::vector<std::string> dns_names(const X509* certificate) {
  const tls::AltNamesPtr names = tls::alt_names(certificate);
  std::vector<std::string> out;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_DNS) continue;
    const unsigned char* data = ASN1_STRING_get0_data(name->d.dNSName);
    out.emplace_back(data, data + ASN1_STRING_length(name->d.dNSName));
  }
  return out;
}

std::optional<Untrusted> fault_of_dates(const X509* certificate, tls::SystemTime now) {
  const auto begin = tls::to_time(X509_get0_notBefore(certificate));
  const auto end = tls::to_time(X509_get0_notAfter(certificate));
  if (begin && end && now >= *begin && now <= *end) return std::nullopt;
  const bool early = begin && now < *begin;
  return Untrusted{Refusal::dates, fmt::format("{} {}", subject(certificate),
                                               early ? "is not valid yet" : "has expired")};
}

std::optional<Untrusted> fault_of_host(const X509* leaf, const std::string& host) {
  const auto names = dns_names(leaf);
  if (std::ranges::any_of(names, [&](const auto& each) { return matches(each, host); }))
    return std::nullopt;
  return Untrusted{Refusal::name, fmt::format("it is not valid for the name {}", host)};
}

// Returns why Go's crypto/x509, with which the API server verifies certificates, refuses this CA
// certificate although OpenSSL accepts the chain. Returns nullopt if Go also accepts the
// certificate.
std::optional<Untrusted> fault_of_issuer(X509* certificate, bool is_root) {
  X509_check_purpose(certificate, -1, 0);  // reads the extensions once
  if ((X509_get_extension_flags(certificate) & EXFLAG_XKUSAGE) != 0 &&
      (X509_get_extended_key_usage(certificate) & (XKU_SSL_SERVER | XKU_ANYEKU)) == 0)
    return Untrusted{
        Refusal::unusable,
        fmt::format("the CA {} signs only for other purposes (extendedKeyUsage without serverAuth)",
                    subject(certificate))};
  if (X509_get_version(certificate) == X509_VERSION_3 &&
      (X509_get_extension_flags(certificate) & EXFLAG_BCONS) == 0)
    return Untrusted{
        Refusal::unusable,
        fmt::format("the CA {} is not marked as a CA (basicConstraints)", subject(certificate))};
  if ((ASN1_STRING_type(X509_get0_serialNumber(certificate)) & V_ASN1_NEG) != 0)
    return Untrusted{Refusal::unusable,
                     fmt::format("the CA {} has a serial number below zero", subject(certificate))};
  int digest = NID_undef;
  if (!is_root && X509_get_signature_info(certificate, &digest, nullptr, nullptr, nullptr) == 1 &&
      (digest == NID_sha1 || digest == NID_md5))
    return Untrusted{Refusal::unusable, fmt::format("the CA {} is signed with {}",
                                                    subject(certificate), OBJ_nid2ln(digest))};
  return std::nullopt;
}

Refusal refusal_of(int code) {
  switch (code) {
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return Refusal::dates;
    case X509_V_ERR_PERMITTED_VIOLATION:
    case X509_V_ERR_EXCLUDED_VIOLATION:
    case X509_V_ERR_SUBTREE_MINMAX:
    case X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE:
    case X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX:
    case X509_V_ERR_UNSUPPORTED_NAME_SYNTAX:
      return Refusal::constraint;
    case X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION:
    case X509_V_ERR_INVALID_CA:
    case X509_V_ERR_INVALID_EXTENSION:
    case X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
    case X509_V_ERR_PATH_LENGTH_EXCEEDED:
      return Refusal::unusable;
    default:
      return Refusal::authority;
  }
}

std::string sentence_of(int code, const X509* certificate) {
  const std::string who = certificate == nullptr ? "a certificate of it" : subject(certificate);
  switch (refusal_of(code)) {
    case Refusal::dates:
      return fmt::format("{} {}", who,
                         code == X509_V_ERR_CERT_HAS_EXPIRED ? "has expired" : "is not valid yet");
    case Refusal::constraint:
      return fmt::format("its CA may not sign for its names (name constraints of it: {})",
                         X509_verify_cert_error_string(code));
    default:
      return fmt::format("{} ({})", X509_verify_cert_error_string(code), who);
  }
}

std::optional<Untrusted> fault_of_chain(const std::vector<CertificatePtr>& presented,
                                        const std::vector<CertificatePtr>& trusted,
                                        tls::SystemTime now) {
  const StorePtr store(X509_STORE_new());
  for (const CertificatePtr& each : trusted) X509_STORE_add_cert(store.get(), each.get());
  const StackPtr between(sk_X509_new_null());
  for (const CertificatePtr& each : presented) sk_X509_push(between.get(), each.get());
  const StoreContextPtr context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), presented.front().get(), between.get());
  X509_STORE_CTX_set_time(context.get(), 0, std::chrono::system_clock::to_time_t(now));
  // No purpose: OpenSSL also asks the leaf for a keyUsage, and does not take anyExtendedKeyUsage.
  X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
  if (X509_verify_cert(context.get()) != 1) {
    const int code = X509_STORE_CTX_get_error(context.get());
    return Untrusted{refusal_of(code),
                     sentence_of(code, X509_STORE_CTX_get_current_cert(context.get()))};
  }
  const STACK_OF(X509)* chain = X509_STORE_CTX_get0_chain(context.get());
  const int length = sk_X509_num(chain);
  for (int i = 1; i < length; ++i)
    if (auto fault = fault_of_issuer(sk_X509_value(chain, i), i + 1 == length)) return fault;
  return std::nullopt;
}

}  // namespace

std::optional<Untrusted> why_untrusted(const std::string& chain, const std::string& roots,
                                       const std::string& host, tls::SystemTime now) {
  const auto presented = read_pem(chain), trusted = read_pem(roots);
  for (const auto* each : {&presented, &trusted})
    if (!*each) return Untrusted{Refusal::unreadable, each->error().message()};
  X509* leaf = presented->front().get();
  if (auto why = tls::why_unusable(leaf)) return Untrusted{Refusal::unusable, *why};
  auto fault = fault_of_dates(leaf, now);
  if (!fault) fault = fault_of_host(leaf, host);
  if (!fault) fault = fault_of_chain(*presented, *trusted, now);
  ERR_clear_error();
  return fault;
}

}  // namespace tpuwh::server::x509
