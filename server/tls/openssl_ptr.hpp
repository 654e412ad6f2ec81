// OpenSSL's objects with an owner, and its times.
#pragma once

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <optional>

namespace tpuwh::server::tls {

template <auto free_function>
struct Free {
  template <class T>
  void operator()(T* object) const {
    free_function(object);
  }
};
using BioPtr = std::unique_ptr<BIO, Free<BIO_free>>;
using CertificatePtr = std::unique_ptr<X509, Free<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using AltNamesPtr = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;

// Its subjectAltName; null where it has none, or one that cannot be read.
inline AltNamesPtr alt_names(const X509* certificate) {
  return AltNamesPtr(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
}

// For PEM that is encrypted: refused, not asked about at a terminal.
inline int no_password(char*, int, int, void*) {
  return 0;
}

// Nothing for what is no time: a certificate of somebody else's may say anything. One beyond what
// the clock counts, in nanoseconds from 1677 to 2262, is the nearest that it does: 99991231235959Z
// says "without an end" (RFC 5280 4.1.2.5).
inline std::optional<std::chrono::system_clock::time_point> to_time(const ASN1_TIME* time) {
  using Time = std::chrono::system_clock::time_point;
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  const std::chrono::seconds seconds(timegm(&parts));
  const auto whole = [](Time at) {
    return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch());
  };
  return Time(std::clamp(seconds, whole(Time::min()), whole(Time::max())));
}

}  // namespace tpuwh::server::tls
