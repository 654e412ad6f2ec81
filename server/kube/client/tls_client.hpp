// TLS towards the API server: whom to trust, and who we are.
#pragma once

#include "server/kube/access/api_config.hpp"
#include "server/kube/client/authorizer.hpp"
#include "server/tls/stream.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace tpuwh::server::kube::client {

// One client's; not thread safe.
//
//   versions  TLS 1.2 and later; of ALPN only http/1.1, where a watch has a connection of its own
//   trust     ca_file, else ca_pem, else the system's; ApiConfig::insecure: nobody is checked
//   name      tls_name (else host) is a name in the certificate, or an address if it is one:
//             in a cluster the server is dialled by its IP. SNI for names only (RFC 6066 3)
//   us        the certificate of the credentials, else the configuration's
//   rotation  files are read for every new connection, which is rare, and by their path: the
//             kubelet swaps a link. While one cannot be read or used the last one counts
class TlsClient {
 public:
  // Both outlive it.
  TlsClient(const access::ApiConfig& config, const Authorizer& authorizer)
      : config_(config), authorizer_(authorizer) {}

  // For the next connection. The error says which PEM text cannot be used.
  Result<tls::SslPtr> session();

  // Why a handshake failed, for a person: "certificate verify failed: …".
  std::string explain(SSL* ssl, const net::error_code& error) const;

 private:
  using Context = boost::asio::ssl::context;

  // PEM texts that a context is made of.
  struct Material {
    std::string authorities;  // "" only if none are named: then the system's
    access::ClientCertificate client;

    bool operator==(const Material&) const = default;
  };

  Material read_material() const;
  Result<std::shared_ptr<Context>> make_context(const Material& material) const;
  const std::string& name() const;

  const access::ApiConfig& config_;
  const Authorizer& authorizer_;
  std::shared_ptr<Context> context_;
  Material material_;  // that the context was made of
};

}  // namespace tpuwh::server::kube::client
