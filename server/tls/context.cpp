#include "server/tls/context.hpp"

#include "server/tls/openssl_ptr.hpp"
#include "server/tls/usable.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <boost/asio/buffer.hpp>

#include <ctime>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace tpuwh::server::tls {
namespace {

namespace ssl = boost::asio::ssl;

// Before anything else of OpenSSL runs, in every command: a file that a variable names could choose
// suites, and load shared objects.
const int no_configuration = OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);

// Which of them is the client's choice: it knows whether it has AES instructions, and every server
// of ours has.
constexpr auto tls12_ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr auto tls13_suites =
    "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256";
constexpr auto groups = "X25519:P-256:P-384";

// RSA from 2048 bits on, 112 bits of security for everything else.
constexpr int security_level = 2;

void require(bool ok, std::string_view what) {
  if (ok) return;
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  throw std::runtime_error(fmt::format("{}: {}", what, reason != nullptr ? reason : "failed"));
}

// Picks http/1.1 from what the client offers; a client that offers only others is
// refused (RFC 7301 3.2). The API server offers nothing else for Services.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned offered_size, void*) {
  static constexpr unsigned char http_1_1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  const int result =
      SSL_select_next_proto(&chosen, out_size, http_1_1, sizeof http_1_1, offered, offered_size);
  *out = chosen;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

void apply_settings(SSL_CTX* context) {
  require(no_configuration == 1, "OpenSSL");
  SSL_CTX_set_security_level(context, security_level);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_max_proto_version(context, 0);  // the latest there is
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_num_tickets(context, 0);  // SSL_OP_NO_TICKET leaves TLS 1.3 stateful ones
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);  // 34 KiB less per idle connection
  SSL_CTX_set_read_ahead(context, 1);  // a record's header and body in one system call
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  require(SSL_CTX_set_cipher_list(context, tls12_ciphers) == 1, "TLS ciphers");
  require(SSL_CTX_set_ciphersuites(context, tls13_suites) == 1, "TLS 1.3 suites");
  require(SSL_CTX_set1_groups_list(context, groups) == 1, "TLS groups");
}

// Nothing for what is none: OpenSSL says why when it is to use it.
CertificatePtr read_leaf(const std::string& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  CertificatePtr leaf(PEM_read_bio_X509(bio.get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  return leaf;
}

void throw_fault(const std::optional<std::string>& fault) {
  if (fault) throw std::runtime_error(*fault);
}

void use_pair(ssl::context& context, const Pair& pair) {
  // Before OpenSSL, which refuses some of it in words of its own ("ca md too weak").
  if (const auto leaf = read_leaf(pair.certificates)) throw_fault(why_unusable(leaf.get()));
  boost::system::error_code ec;
  // What is encrypted is an error, not a question at a terminal.
  context.set_password_callback([](std::size_t, ssl::context::password_purpose) { return ""; });
  context.use_certificate_chain(boost::asio::buffer(pair.certificates), ec);
  if (ec) throw std::runtime_error("certificate is not a PEM certificate chain: " + ec.message());
  context.use_private_key(boost::asio::buffer(pair.key), ssl::context::pem, ec);
  if (ec) throw std::runtime_error("key cannot be used: " + ec.message());
  require(SSL_CTX_check_private_key(context.native_handle()) == 1,
          "key does not belong to the certificate");
}

// The leaf's begin and end, or an exception if `now` is not between.
std::pair<SystemTime, SystemTime> check_dates(SSL_CTX* context, SystemTime now) {
  const X509* leaf = SSL_CTX_get0_certificate(context);
  const auto begin = to_time(X509_get0_notBefore(leaf));
  const auto end = to_time(X509_get0_notAfter(leaf));
  require(begin && end, "date of the certificate");
  if (now < *begin) throw std::runtime_error("certificate is not valid before " + to_text(*begin));
  if (now >= *end) throw std::runtime_error("certificate expired at " + to_text(*end));
  return {*begin, *end};
}

}  // namespace

std::string to_text(SystemTime time) {
  const auto seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

ContextPtr make_empty_context() {
  ssl::context context(ssl::context::tls_server);
  apply_settings(context.native_handle());
  return std::make_shared<Context>(Context{std::move(context), {}, {}});
}

ContextPtr make_context(const Pair& pair, SystemTime now) {
  ssl::context context(ssl::context::tls_server);
  apply_settings(context.native_handle());
  use_pair(context, pair);
  const auto [begin, end] = check_dates(context.native_handle(), now);
  throw_fault(why_no_handshake(context.native_handle()));
  return std::make_shared<Context>(Context{std::move(context), begin, end});
}

}  // namespace tpuwh::server::tls
