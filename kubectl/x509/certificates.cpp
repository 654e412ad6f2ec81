#include "kubectl/x509/certificates.hpp"

#include "base/result.hpp"
#include "kubectl/x509/pem.hpp"
#include "kubectl/x509/trust.hpp"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace tpuwh::server::x509 {

Result<std::vector<CertificatePtr>> read_pem(const std::string& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  std::vector<CertificatePtr> out;
  while (CertificatePtr next{PEM_read_bio_X509(bio.get(), nullptr, tls::no_password, nullptr)})
    out.push_back(std::move(next));
  const auto reason = ERR_GET_REASON(ERR_peek_last_error());
  ERR_clear_error();
  if (reason != PEM_R_NO_START_LINE)
    return bad_value(fmt::format("certificate {} of the PEM text cannot be read", out.size() + 1));
  if (out.empty()) return bad_value("there is no PEM certificate in it");
  return out;
}

std::string subject(const X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  std::string out(static_cast<std::size_t>(BIO_ctrl_pending(bio.get())), '\0');
  BIO_read(bio.get(), out.data(), static_cast<int>(out.size()));
  return out;
}

Result<std::vector<CertificateDates>> read_certificates(const std::string& pem) {
  const auto certificates = read_pem(pem);
  if (!certificates) return certificates.error();
  std::vector<CertificateDates> out;
  for (const CertificatePtr& each : *certificates) {
    const auto begin = tls::to_time(X509_get0_notBefore(each.get()));
    const auto end = tls::to_time(X509_get0_notAfter(each.get()));
    if (!begin || !end)
      return bad_value(fmt::format("the dates of certificate {} cannot be read", out.size() + 1));
    out.push_back({subject(each.get()), *begin, *end});
  }
  return out;
}

Result<void> verify_chain(const std::string& chain, const std::string& roots,
                          const std::string& host, tls::SystemTime now) {
  const auto untrusted = why_untrusted(chain, roots, host, now);
  if (untrusted) return bad_value(untrusted->what);
  return {};
}

bool belongs_to(const std::string& key, const std::string& certificate) {
  const auto certificates = read_pem(certificate);
  const BioPtr bio(BIO_new_mem_buf(key.data(), static_cast<int>(key.size())));
  const KeyPtr read(PEM_read_bio_PrivateKey(bio.get(), nullptr, tls::no_password, nullptr));
  const bool fits = certificates && read != nullptr &&
                    X509_check_private_key(certificates->front().get(), read.get()) == 1;
  ERR_clear_error();
  return fits;
}

}  // namespace tpuwh::server::x509
