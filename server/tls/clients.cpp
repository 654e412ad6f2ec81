#include "server/tls/clients.hpp"

#include "server/tls/openssl_ptr.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace tpuwh::server::tls {
namespace {

void free_all(STACK_OF(X509) * certificates) {
  sk_X509_pop_free(certificates, X509_free);
}
using CertificatesPtr = std::unique_ptr<STACK_OF(X509), Free<free_all>>;

// All of a PEM text; none where one of them cannot be read.
CertificatesPtr parse_certificates(const std::string& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  CertificatesPtr all(sk_X509_new_null());
  while (CertificatePtr each{PEM_read_bio_X509(bio.get(), nullptr, no_password, nullptr)})
    if (sk_X509_push(all.get(), each.get()) > 0) each.release();
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  return at_end && sk_X509_num(all.get()) > 0 ? std::move(all) : nullptr;
}

std::string_view view(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

bool is_one_of(std::string_view name, const std::vector<std::string>& names) {
  return std::ranges::find(names, name) != names.end();
}

// Of several nobody knows which one the CA meant.
bool has_common_name(const X509* certificate, const std::vector<std::string>& names) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int first = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (first < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, first) >= 0) return false;
  return is_one_of(view(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, first))), names);
}

bool has_dns_name(const X509* certificate, const std::vector<std::string>& names) {
  const AltNamesPtr all = alt_names(certificate);
  for (int i = 0; i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* each = sk_GENERAL_NAME_value(all.get(), i);
    if (each->type == GEN_DNS && is_one_of(view(each->d.dNSName), names)) return true;
  }
  return false;
}

}  // namespace

struct Clients::Roots {
  std::string text;
  CertificatesPtr certificates;

  static std::shared_ptr<const Roots> read(const std::string& path) {
    std::string text = read_file(path);
    CertificatesPtr certificates = parse_certificates(text);
    if (!certificates)
      throw std::runtime_error(fmt::format("{} holds no PEM certificates of a CA", path));
    return std::make_shared<const Roots>(Roots{std::move(text), std::move(certificates)});
  }
};

Clients::Clients(std::string ca_path, std::vector<std::string> names)
    : ca_path_(std::move(ca_path)),
      names_(std::move(names)),
      seen_(stamp(ca_path_)),
      roots_(Roots::read(ca_path_)) {}

Clients::~Clients() = default;

void Clients::guard(SSL_CTX* context) {
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_cert_verify_callback(context, &Clients::verify, this);
}

std::optional<Clients::Change> Clients::poll() {
  const Stamp latest = stamp(ca_path_);
  if (latest == seen_ && reported_.empty()) return std::nullopt;
  try {
    require_file(ca_path_);
    auto read = Roots::read(ca_path_);
    seen_ = latest;
    reported_.clear();
    if (read->text == roots()->text) return std::nullopt;
    const std::lock_guard lock(mutex_);
    roots_ = std::move(read);
    return Change{};
  } catch (const std::runtime_error& failure) {
    if (failure.what() == reported_) return std::nullopt;
    reported_ = failure.what();
    return Change{.error = reported_};
  }
}

std::shared_ptr<const Clients::Roots> Clients::roots() const {
  const std::lock_guard lock(mutex_);
  return roots_;
}

int Clients::verify(X509_STORE_CTX* context, void* clients) {
  return static_cast<const Clients*>(clients)->may_call(context) ? 1 : 0;
}

// OpenSSL has set the purpose (a client's), the time and the security level.
bool Clients::may_call(X509_STORE_CTX* context) const {
  const auto trusted = roots();
  X509_STORE_CTX_set0_trusted_stack(context, trusted->certificates.get());
  if (X509_verify_cert(context) != 1) return false;
  if (has_name(X509_STORE_CTX_get0_cert(context), names_)) return true;
  X509_STORE_CTX_set_error(context, X509_V_ERR_APPLICATION_VERIFICATION);
  return false;
}

bool has_name(const X509* certificate, const std::vector<std::string>& names) {
  return has_common_name(certificate, names) || has_dns_name(certificate, names);
}

}  // namespace tpuwh::server::tls
