#include "server/tls/certificates.hpp"

#include "server/tls/openssl_ptr.hpp"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <memory>

namespace tpuwh::server::tls {

namespace {

using StorePtr = std::unique_ptr<X509_STORE, Free<X509_STORE_free>>;
using StoreContextPtr = std::unique_ptr<X509_STORE_CTX, Free<X509_STORE_CTX_free>>;

void free_stack(STACK_OF(X509) * stack) {
  sk_X509_free(stack);
}  // not what is in it
using StackPtr = std::unique_ptr<STACK_OF(X509), Free<free_stack>>;

using Certificates = std::vector<CertificatePtr>;

Result<Certificates> read_pem(const std::string& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Certificates out;
  while (CertificatePtr next{PEM_read_bio_X509(bio.get(), nullptr, no_password, nullptr)})
    out.push_back(std::move(next));
  const auto reason = ERR_GET_REASON(ERR_peek_last_error());
  ERR_clear_error();
  if (reason != PEM_R_NO_START_LINE)
    return Error(Errc::bad_value,
                 fmt::format("certificate {} of the PEM text cannot be read", out.size() + 1));
  if (out.empty()) return Error(Errc::bad_value, "there is no PEM certificate in it");
  return out;
}

std::string subject(const X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  std::string out(static_cast<std::size_t>(BIO_ctrl_pending(bio.get())), '\0');
  BIO_read(bio.get(), out.data(), static_cast<int>(out.size()));
  return out;
}

}  // namespace

Result<std::vector<CertificateDates>> read_certificates(const std::string& pem) {
  const auto certificates = read_pem(pem);
  if (!certificates) return certificates.error();
  std::vector<CertificateDates> out;
  for (const CertificatePtr& each : *certificates) {
    const auto begin = to_time(X509_get0_notBefore(each.get()));
    const auto end = to_time(X509_get0_notAfter(each.get()));
    if (!begin || !end)
      return Error(Errc::bad_value,
                   fmt::format("the dates of certificate {} cannot be read", out.size() + 1));
    out.push_back({subject(each.get()), *begin, *end});
  }
  return out;
}

Result<void> verify_chain(const std::string& chain, const std::string& roots,
                          const std::string& host, SystemTime now) {
  const auto presented = read_pem(chain), trusted = read_pem(roots);
  if (!presented) return presented.error();
  if (!trusted) return trusted.error();
  const StorePtr store(X509_STORE_new());
  for (const CertificatePtr& each : *trusted) X509_STORE_add_cert(store.get(), each.get());
  const StackPtr between(sk_X509_new_null());
  for (const CertificatePtr& each : *presented) sk_X509_push(between.get(), each.get());
  const StoreContextPtr context(X509_STORE_CTX_new());
  X509* leaf = presented->front().get();
  X509_STORE_CTX_init(context.get(), store.get(), leaf, between.get());
  X509_STORE_CTX_set_time(context.get(), 0, std::chrono::system_clock::to_time_t(now));
  X509_VERIFY_PARAM* wanted = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_purpose(wanted, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_PARTIAL_CHAIN);
  // Go looks at subjectAltName alone, never at the common name.
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size());
  const bool good = X509_verify_cert(context.get()) == 1;
  const int code = X509_STORE_CTX_get_error(context.get());
  ERR_clear_error();
  if (good) return {};
  if (code == X509_V_ERR_HOSTNAME_MISMATCH)
    return Error(Errc::bad_value, fmt::format("it is not valid for the name {}", host));
  return Error(Errc::bad_value, X509_verify_cert_error_string(code));
}

bool belongs_to(const std::string& key, const std::string& certificate) {
  const auto certificates = read_pem(certificate);
  const BioPtr bio(BIO_new_mem_buf(key.data(), static_cast<int>(key.size())));
  const KeyPtr read(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  const bool fits = certificates && read != nullptr &&
                    X509_check_private_key(certificates->front().get(), read.get()) == 1;
  ERR_clear_error();
  return fits;
}

}  // namespace tpuwh::server::tls
