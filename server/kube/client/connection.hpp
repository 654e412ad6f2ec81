// Connections to the API server, with TLS or to a proxy without it.
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

  // Makes the operation under way and every later one fail. Does not close: see tls::Stream.
  void cut();

  // Returns whether an idle connection may be used again: the peer has sent nothing.
  bool fresh(net::TimePoint now);
  void rest(net::TimePoint now) { idle_since_ = now; }

 private:
  net::Socket& socket();

  std::variant<net::PlainStream, tls::Stream> stream_;
  net::TimePoint idle_since_;
};
using ConnectionPtr = std::unique_ptr<Connection>;

// Opens the connections of one client. `config` outlives it.
class Dialer {
 public:
  Dialer(net::Executor executor, const access::ApiConfig& config)
      : executor_(executor), config_(config), tls_(config) {}

  // Opens a connection: ApiConfig::connect, else name lookup (none for an address), TCP and TLS,
  // by limits::api and not beyond `until`. The error is a sentence that names the server. A lookup
  // that has begun cannot be interrupted: it ends when the system's resolver gives up.
  net::Task<Result<ConnectionPtr>> dial(net::TimePoint until);

  // Returns "10.0.0.1:443", "[::1]:6443": for messages and the Host field.
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
