// TLS towards the API server.
#pragma once

#include "server/kube/access/api_config.hpp"
#include "server/tls/stream.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace tpuwh::server::kube::client {

// TLS sessions of one client; not thread safe.
//
//   versions  TLS 1.2 and later; of ALPN only http/1.1, where a watch has a connection of its own
//   trust     only the CA certificates of ApiConfig::ca_file
//   name      ApiConfig::host is a name in the certificate, or an address if it is one: in a
//             cluster the server is dialled by its IP. SNI for names only (RFC 6066 3)
//   rotation  the file is read for every new connection, which is rare, and by its path, because
//             the kubelet swaps a link. While it cannot be read or used, its last content counts
class TlsClient {
 public:
  // `config` outlives it.
  explicit TlsClient(const access::ApiConfig& config) : config_(config) {}

  // Returns the session of the next connection, or an error that names the CA file.
  Result<tls::SslPtr> session();

  // Returns why a handshake failed, for a person: "the server's certificate is not trusted: …".
  std::string explain(SSL* ssl, const net::error_code& error) const;

 private:
  using Context = boost::asio::ssl::context;

  Result<std::shared_ptr<Context>> make_context(const std::string& authorities) const;

  const access::ApiConfig& config_;
  std::shared_ptr<Context> context_;
  std::string authorities_;  // the PEM text that the context was made of
};

}  // namespace tpuwh::server::kube::client
