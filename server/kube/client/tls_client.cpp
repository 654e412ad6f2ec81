#include "server/kube/client/tls_client.hpp"

#include "base/result.hpp"
#include "server/limits/limits.hpp"
#include "server/net/address.hpp"
#include "server/text/read_file.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <boost/asio/buffer.hpp>

#include <utility>

namespace tpuwh::server::kube::client {
namespace {

void apply_settings(SSL_CTX* context) {
  static constexpr unsigned char http_1_1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_alpn_protos(context, http_1_1, sizeof http_1_1);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);  // several records in one system call
  SSL_CTX_set_default_read_buffer_len(context, limits::api::read_bytes);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

// Makes the handshake fail unless the server's certificate is valid for `name`. The function itself
// returns false only if there is not enough memory.
bool expect_name(SSL* session, const std::string& name) {
  X509_VERIFY_PARAM* checks = SSL_get0_param(session);
  if (net::is_address(name)) return X509_VERIFY_PARAM_set1_ip_asc(checks, name.c_str()) == 1;
  SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  std::string text = name;  // OpenSSL's macro casts as C++ does not allow here
  return SSL_set1_host(session, name.c_str()) == 1 &&
         SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, text.data()) ==
             1;
}

}  // namespace

Result<std::shared_ptr<TlsClient::Context>> TlsClient::make_context(
    const std::string& authorities) const {
  auto context = std::make_shared<Context>(Context::tls_client);
  apply_settings(context->native_handle());
  net::error_code ec;
  context->set_verify_mode(boost::asio::ssl::verify_peer, ec);
  context->add_certificate_authority(boost::asio::buffer(authorities), ec);
  if (!ec) return context;
  ERR_clear_error();
  return bad_value("no CA certificate in it: one is needed to verify the API server",
                   config_.ca_file);
}

Result<tls::SslPtr> TlsClient::session() {
  const auto authorities = text::read_file(config_.ca_file, text::max_small_bytes);
  if (context_ == nullptr || (authorities && *authorities != authorities_)) {
    auto context = make_context(authorities ? *authorities : "");
    // If the file cannot be used, for example because another program is writing it, the previous
    // context, if there is one, stays in use.
    if (!context && context_ == nullptr) return context.error();
    if (context) {
      context_ = *context;
      authorities_ = *authorities;
    }
  }
  tls::SslPtr session(SSL_new(context_->native_handle()), &SSL_free);
  if (session == nullptr || !expect_name(session.get(), config_.host)) {
    return Error(base::Errc::internal, "no memory for a TLS session");
  }
  SSL_set_connect_state(session.get());
  return session;
}

std::string TlsClient::explain(SSL* ssl, const net::error_code& error) const {
  const long verdict = SSL_get_verify_result(ssl);
  if (verdict == X509_V_OK) return error.message();
  const bool mismatch =
      verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH;
  return fmt::format("the API server's certificate is not trusted: {}; {}",
                     X509_verify_cert_error_string(verdict),
                     mismatch ? fmt::format("the certificate is not for \"{}\"", config_.host)
                              : "the trusted CAs are in " + config_.ca_file);
}

}  // namespace tpuwh::server::kube::client
