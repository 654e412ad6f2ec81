#include "server/kube/tls_client.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>

#include <fstream>
#include <iterator>
#include <utility>

namespace tpuwh::server::kube {
namespace {

namespace ssl = boost::asio::ssl;

bool is_address(const std::string& name) {
  error_code ec;
  net::ip::make_address(name, ec);
  return !ec;
}

void apply_settings(SSL_CTX* context) {
  static constexpr unsigned char http_1_1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_alpn_protos(context, http_1_1, sizeof http_1_1);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

// Who is at the other end must be who was called. False only without memory.
bool expect_name(SSL* session, const std::string& name) {
  X509_VERIFY_PARAM* checks = SSL_get0_param(session);
  if (is_address(name)) return X509_VERIFY_PARAM_set1_ip_asc(checks, name.c_str()) == 1;
  SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  std::string text = name;  // OpenSSL's macro casts as C++ does not allow here
  return SSL_set1_host(session, name.c_str()) == 1 &&
         SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, text.data()) ==
             1;
}

Error unusable(const std::string& what, const std::string& source, const error_code& ec) {
  ERR_clear_error();
  return Error(Errc::bad_value, fmt::format("{} cannot be used: {}", what, ec.message()), source);
}

}  // namespace

// "" if none is named: then the system's count.
std::string TlsClient::read_authorities() {
  if (config_.ca_file.empty()) return config_.ca_pem;
  std::ifstream file(config_.ca_file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!text.empty()) return text;
  return context_ != nullptr ? authorities_ : config_.ca_pem;
}

Result<std::shared_ptr<TlsClient::Context>> TlsClient::make_context(
    const std::string& authorities) const {
  auto context = std::make_shared<Context>(Context::tls_client);
  apply_settings(context->native_handle());
  error_code ec;
  context->set_verify_mode(config_.insecure ? ssl::verify_none : ssl::verify_peer, ec);
  const bool named = !config_.ca_pem.empty() || !config_.ca_file.empty();
  if (named && authorities.empty()) {
    return Error(Errc::bad_value,
                 fmt::format("no CA certificate in {}: without it the API server cannot be trusted",
                             config_.ca_file),
                 config_.source);
  }
  if (named) {
    context->add_certificate_authority(net::buffer(authorities), ec);
  } else {
    context->set_default_verify_paths(ec);
  }
  if (ec) return unusable("the CA certificate", config_.source, ec);
  if (config_.client_cert_pem.empty()) return context;
  context->use_certificate_chain(net::buffer(config_.client_cert_pem), ec);
  if (ec) return unusable("the client certificate", config_.source, ec);
  // An encrypted key is an error, not a question at a terminal.
  context->set_password_callback([](std::size_t, Context::password_purpose) { return ""; });
  context->use_private_key(net::buffer(config_.client_key_pem), Context::pem, ec);
  if (ec) return unusable("the client key", config_.source, ec);
  return context;
}

Result<tls::SslPtr> TlsClient::session() {
  std::string authorities = read_authorities();
  if (context_ == nullptr || authorities != authorities_) {
    auto context = make_context(authorities);
    // A CA file that is being written must not cost us what still works.
    if (!context && context_ == nullptr) return context.error();
    if (context) {
      context_ = *context;
      authorities_ = std::move(authorities);
    }
  }
  tls::SslPtr session(SSL_new(context_->native_handle()), &SSL_free);
  if (session == nullptr || !expect_name(session.get(), name())) {
    return Error(Errc::internal, "no memory for a TLS session");
  }
  SSL_set_connect_state(session.get());
  return session;
}

std::string TlsClient::explain(SSL* ssl, const error_code& error) const {
  const long verdict = SSL_get_verify_result(ssl);
  if (config_.insecure || verdict == X509_V_OK) return error.message();
  std::string out = fmt::format("the server's certificate is not trusted: {}",
                                X509_verify_cert_error_string(verdict));
  if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    out += fmt::format("; it is not for \"{}\"", name());
  } else if (!config_.ca_file.empty()) {
    out += fmt::format("; CA from {}", config_.ca_file);
  } else {
    out += config_.ca_pem.empty() ? "; CAs of the system" : "; CA of the configuration";
  }
  return out;
}

}  // namespace tpuwh::server::kube
