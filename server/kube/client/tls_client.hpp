// The client's side of TLS connections to the API server.
#pragma once

#include "server/kube/access/api_config.hpp"
#include "server/tls/stream.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace tpuwh::server::kube::client {

// Makes the TLS sessions of one client. The class is not thread safe.
//
//   versions  TLS 1.2 and later. ALPN offers only http/1.1, because this gives each watch a
//             connection of its own
//   trust     only the CA certificates of ApiConfig::ca_file are trusted
//   name      the server's certificate must be valid for ApiConfig::host. In a cluster the host is
//             an IP address. SNI is sent only if the host is a name (RFC 6066 section 3)
//   rotation  ca_file is read for each new connection (new connections are rare). The file is
//             opened by its path, because the kubelet replaces a symbolic link in that path. While
//             the file cannot be read or used, the previous CA certificates stay in use
class TlsClient {
 public:
  // `config` outlives it.
  explicit TlsClient(const access::ApiConfig& config) : config_(config) {}

  // Returns a TLS session for a new connection, or an error that names the CA file.
  Result<tls::SslPtr> session();

  // Returns the reason why a handshake failed, as a text for users: "the server's certificate is
  // not trusted: …".
  std::string explain(SSL* ssl, const net::error_code& error) const;

 private:
  using Context = boost::asio::ssl::context;

  Result<std::shared_ptr<Context>> make_context(const std::string& authorities) const;

  const access::ApiConfig& config_;
  std::shared_ptr<Context> context_;
  std::string authorities_;  // the PEM text of the CA certificates in `context_`
};

}  // namespace tpuwh::server::kube::client
