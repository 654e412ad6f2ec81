// OpenSSL's objects with an owner.
#pragma once

#include <openssl/bio.h>
#include <openssl/x509.h>

#include <memory>

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

}  // namespace tpuwh::server::tls
