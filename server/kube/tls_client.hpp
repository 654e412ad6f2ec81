// TLS towards the API server: whom to trust, and who we are.
#pragma once

#include "server/kube/api_config.hpp"
#include "server/tls/stream.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace tpuwh::server::kube {

// One client's; not thread safe.
//
//   versions  TLS 1.2 and later; of ALPN only http/1.1, where a watch has a connection of its own
//   trust     ca_file, else ca_pem, else the system's; ApiConfig::insecure: nobody is checked
//   name      tls_name (else host) is a name in the certificate, or an address if it is one:
//             in a cluster the server is dialled by its IP. SNI for names only (RFC 6066 3)
//   rotation  ca_file is read for every new connection, which is rare, and by its path: the
//             kubelet swaps a link. While it cannot be read the last one counts
class TlsClient {
 public:
  explicit TlsClient(const ApiConfig& config) : config_(config) {}

  // For the next connection. The error says which PEM text cannot be used.
  Result<tls::SslPtr> session();

  // Why a handshake failed, for a person: "certificate verify failed: …".
  std::string explain(SSL* ssl, const error_code& error) const;

 private:
  using Context = boost::asio::ssl::context;

  std::string read_authorities();
  Result<std::shared_ptr<Context>> make_context(const std::string& authorities) const;
  const std::string& name() const {
    return config_.tls_name.empty() ? config_.host : config_.tls_name;
  }

  const ApiConfig& config_;
  std::shared_ptr<Context> context_;
  std::string authorities_;  // that the context was made with
};

}  // namespace tpuwh::server::kube
