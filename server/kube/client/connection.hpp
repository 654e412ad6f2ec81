// Connections to the API server with TLS, or to a proxy without TLS (ApiConfig::connect).
#pragma once

#include "server/kube/access/api_config.hpp"
#include "server/kube/client/tls_client.hpp"
#include "server/net/asio.hpp"
#include "server/net/deadline.hpp"
#include "server/net/plain_stream.hpp"
#include "server/tls/stream.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace tpuwh::server::kube::client {

class Connection {
 public:
  explicit Connection(net::PlainStream stream) : stream_(std::move(stream)) {}
  explicit Connection(tls::Stream stream) : stream_(std::move(stream)) {}

  net::Task<net::Received> read_some(std::span<char> room);
  net::Task<net::error_code> write(std::string_view bytes);

  // Makes the operation in progress and all later operations fail. Does not close the socket,
  // because OpenSSL would continue to use the number of the closed descriptor (tls::Stream).
  void cut();

  // Returns whether this idle connection may be used for another request: it has not been idle for
  // longer than limits::api::idle, and the server has neither sent anything nor closed the
  // connection.
  bool fresh(net::TimePoint now);
  void rest(net::TimePoint now) { idle_since_ = now; }

 private:
  net::Socket& socket();

  std::variant<net::PlainStream, tls::Stream> stream_;
  net::TimePoint idle_since_;
};
using ConnectionPtr = std::unique_ptr<Connection>;

// Opens the connections of one client. `config` must outlive the Dialer.
class Dialer {
 public:
  Dialer(net::Executor executor, const access::ApiConfig& config)
      : executor_(executor), config_(config), tls_(config) {}

  // Opens a connection. If ApiConfig::connect is set, calls it. Otherwise looks up the host name
  // (unless it is an IP address), connects by TCP and does the TLS handshake, within the limits of
  // limits::api and before `until`. The error is a sentence that names the server. A name lookup
  // cannot be interrupted: it ends when the system's resolver gives up.
  net::Task<Result<ConnectionPtr>> dial(net::TimePoint until);

  // Returns the host and port for messages and for the Host header: "10.0.0.1:443", "[::1]:6443".
  std::string authority() const;

 private:
  net::Task<Result<net::Socket>> connect(net::TimePoint until);
  net::Task<Result<ConnectionPtr>> handshake(net::Socket socket, net::TimePoint until);
  Error failed(std::string_view what, std::string_view why) const;

  net::Executor executor_;
  const access::ApiConfig& config_;
  TlsClient tls_;
};

}  // namespace tpuwh::server::kube::client
