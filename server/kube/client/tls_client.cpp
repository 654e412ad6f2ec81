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

namespace ssl = boost::asio::ssl;

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

// Who is at the other end must be who was called. False only without memory.
bool expect_name(SSL* session, const std::string& name) {
  X509_VERIFY_PARAM* checks = SSL_get0_param(session);
  if (net::is_address(name)) return X509_VERIFY_PARAM_set1_ip_asc(checks, name.c_str()) == 1;
  SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  std::string text = name;  // OpenSSL's macro casts as C++ does not allow here
  return SSL_set1_host(session, name.c_str()) == 1 &&
         SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, text.data()) ==
             1;
}

// What a file holds now; `otherwise` if no file is named, or nothing is in it at this moment.
std::string fresh_text(const std::string& path, const std::string& otherwise) {
  if (path.empty()) return otherwise;
  auto text = text::read_file(path, text::max_small_bytes);
  return text && !text->empty() ? std::move(*text) : otherwise;
}

const std::string& last(const std::string& used, const std::string& given) {
  return used.empty() ? given : used;
}

Error unusable(const std::string& what, const std::string& source, const net::error_code& ec) {
  ERR_clear_error();
  return bad_value(fmt::format("{} cannot be used: {}", what, ec.message()), source);
}

}  // namespace

const std::string& TlsClient::name() const {
  return config_.tls_name.empty() ? config_.host : config_.tls_name;
}

TlsClient::Material TlsClient::read_material() const {
  Material out;
  out.authorities = fresh_text(config_.ca_file, last(material_.authorities, config_.ca_pem));
  out.client = authorizer_.certificate();
  if (out.client.empty()) {
    const auto& given = config_.client;
    const auto& before = material_.client;
    out.client.certificate =
        fresh_text(config_.client_cert_file, last(before.certificate, given.certificate));
    out.client.key = fresh_text(config_.client_key_file, last(before.key, given.key));
  }
  return out;
}

Result<std::shared_ptr<TlsClient::Context>> TlsClient::make_context(
    const Material& material) const {
  auto context = std::make_shared<Context>(Context::tls_client);
  apply_settings(context->native_handle());
  net::error_code ec;
  context->set_verify_mode(config_.insecure ? ssl::verify_none : ssl::verify_peer, ec);
  if (!material.authorities.empty()) {
    context->add_certificate_authority(boost::asio::buffer(material.authorities), ec);
  } else if (config_.ca_file.empty()) {
    context->set_default_verify_paths(ec);
  } else {
    return bad_value("no CA certificate in it: one is needed to verify the API server",
                     config_.ca_file);
  }
  if (ec) return unusable("the CA certificate", config_.source, ec);
  if (material.client.empty()) return context;
  context->use_certificate_chain(boost::asio::buffer(material.client.certificate), ec);
  if (ec) return unusable("the client certificate", config_.source, ec);
  // An encrypted key is an error, not a question at a terminal.
  context->set_password_callback([](std::size_t, Context::password_purpose) { return ""; });
  context->use_private_key(boost::asio::buffer(material.client.key), Context::pem, ec);
  if (ec) return unusable("the key of the client certificate", config_.source, ec);
  return context;
}

Result<tls::SslPtr> TlsClient::session() {
  Material material = read_material();
  if (context_ == nullptr || material != material_) {
    auto context = make_context(material);
    // A file that is being written must not cost us what still works.
    if (!context && context_ == nullptr) return context.error();
    if (context) {
      context_ = *context;
      material_ = std::move(material);
    }
  }
  tls::SslPtr session(SSL_new(context_->native_handle()), &SSL_free);
  if (session == nullptr || !expect_name(session.get(), name())) {
    return Error(base::Errc::internal, "no memory for a TLS session");
  }
  SSL_set_connect_state(session.get());
  return session;
}

std::string TlsClient::explain(SSL* ssl, const net::error_code& error) const {
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

}  // namespace tpuwh::server::kube::client
