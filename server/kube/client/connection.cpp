#include "server/kube/client/connection.hpp"

#include "base/result.hpp"
#include "server/limits/limits.hpp"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/ip/basic_resolver.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

namespace tpuwh::server::kube::client {
namespace {

namespace api = server::limits::api;
using Resolver = boost::asio::ip::basic_resolver<boost::asio::ip::tcp, net::Executor>;

void set_option(net::Socket& socket, int level, int name, int value) {
  // Errors are ignored, because the time limits of this client (limits::api) apply even if the
  // option is not set.
  ::setsockopt(socket.native_handle(), level, name, &value, sizeof value);
}

template <class Duration>
int seconds_of(Duration time) {
  return static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

// Makes the kernel end a connection whose peer is dead, because HTTP/1.1 itself has no means to
// detect a dead peer (docs/facts.md#dead-peer).
void notice_dead_peers(net::Socket& socket) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, seconds_of(limits::api::keepalive_idle));
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, seconds_of(limits::api::keepalive_interval));
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, limits::api::keepalive_probes);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT,
             static_cast<int>(limits::api::tcp_user_timeout.count()));
}

std::optional<std::uint16_t> port_number(std::string_view text) {
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns the server's addresses. If the name lookup fails, returns no address and sets `ec`. If
// the host is an IP address, no lookup is made, because a lookup starts Asio's resolver thread.
net::Task<std::vector<net::Endpoint>> look_up(net::Executor executor,
                                              const access::ApiConfig& config,
                                              net::error_code& ec) {
  std::vector<net::Endpoint> found;
  const auto address = boost::asio::ip::make_address(config.host, ec);
  const auto port = port_number(config.port);
  if (!ec && port) {
    found.emplace_back(address, *port);
    co_return found;
  }
  Resolver resolver(executor);
  const auto [error, results] =
      co_await resolver.async_resolve(config.host, config.port, net::as_result);
  ec = error;
  for (const auto& result : results) found.push_back(result.endpoint());
  co_return found;
}

}  // namespace

// --- Connection ------------------------------------------------------------

net::Task<net::Received> Connection::read_some(std::span<char> room) {
  if (auto* stream = std::get_if<tls::Stream>(&stream_)) co_return co_await stream->read_some(room);
  co_return co_await std::get<net::PlainStream>(stream_).read_some(room);
}

net::Task<net::error_code> Connection::write(std::string_view bytes) {
  if (auto* stream = std::get_if<tls::Stream>(&stream_)) co_return co_await stream->write(bytes);
  co_return co_await std::get<net::PlainStream>(stream_).write(bytes);
}

net::Socket& Connection::socket() {
  return std::visit([](auto& stream) -> net::Socket& { return stream.socket(); }, stream_);
}

// Shuts the socket down but does not close it, because OpenSSL would continue to use the number of
// the closed descriptor, which may by then belong to another socket.
void Connection::cut() {
  net::error_code ignored;
  socket().shutdown(net::Socket::shutdown_both, ignored);
}

bool Connection::fresh(net::TimePoint now) {
  if (now > idle_since_ + limits::api::idle) return false;
  if (std::visit([](const auto& stream) { return stream.has_unread(); }, stream_)) return false;
  char byte = 0;
  // A connection is not fresh if the server has sent a byte (a TLS close_notify also counts) or has
  // closed the connection. If the server closes the connection right after this check, the request
  // is sent again on a new connection (worth_another_try()).
  const auto size = ::recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

// --- Dialer ----------------------------------------------------------------

std::string Dialer::authority() const {
  const bool literal_v6 = config_.host.find(':') != std::string::npos;
  return (literal_v6 ? "[" + config_.host + "]" : config_.host) +
         (config_.port.empty() ? "" : ":" + config_.port);
}

Error Dialer::failed(std::string_view what, std::string_view why) const {
  return Error(base::Errc::internal, fmt::format("{} {}: {}", what, authority(), why));
}

net::Task<Result<net::Socket>> Dialer::connect(net::TimePoint until) {
  net::error_code error;
  const auto endpoints = co_await look_up(executor_, config_, error);
  if (endpoints.empty()) co_return failed("cannot find the API server", error.message());
  net::Deadline deadline(executor_);
  net::Socket socket(executor_);
  for (const auto& endpoint : endpoints) {
    net::error_code ignored;
    socket.close(ignored);
    deadline.arm(until, [&socket] {
      net::error_code unused;
      socket.close(unused);
    });
    const auto [refused] = co_await socket.async_connect(endpoint, net::as_result);
    error = refused;
    if (!error && !deadline.passed()) {
      notice_dead_peers(socket);
      co_return socket;
    }
    if (deadline.passed())
      co_return failed("no connection in time to", endpoint.address().to_string());
    if (error == boost::asio::error::operation_aborted) break;
  }
  co_return failed("cannot connect to", error.message());
}

net::Task<Result<ConnectionPtr>> Dialer::handshake(net::Socket socket, net::TimePoint until) {
  auto session = tls_.session();
  if (!session) co_return session.error();
  tls::Stream stream(std::move(socket), std::move(*session), limits::api::read_bytes);
  net::Deadline deadline(executor_);
  deadline.arm(until, [&stream] {
    net::error_code ignored;
    stream.socket().shutdown(net::Socket::shutdown_both, ignored);
  });
  const net::error_code error = co_await stream.handshake();
  if (deadline.passed()) co_return failed("TLS handshake with", "not done in time");
  if (error) co_return failed("TLS handshake with", tls_.explain(stream.ssl(), error));
  co_return std::make_unique<Connection>(std::move(stream));
}

net::Task<Result<ConnectionPtr>> Dialer::dial(net::TimePoint until) {
  if (config_.connect) {
    const auto descriptor = config_.connect();
    if (!descriptor) co_return descriptor.error();
    // Asio reads and writes stream sockets of all address families in the same way, so v4() is also
    // right for a socket that is not IPv4.
    net::Socket socket(executor_, boost::asio::ip::tcp::v4(), *descriptor);
    co_return std::make_unique<Connection>(net::PlainStream(std::move(socket)));
  }
  const net::TimePoint connected =
      std::min<net::TimePoint>(until, net::Clock::now() + limits::api::connect);
  auto socket = co_await connect(connected);
  if (!socket) co_return socket.error();
  const net::TimePoint shaken =
      std::min<net::TimePoint>(until, net::Clock::now() + limits::api::handshake);
  co_return co_await handshake(std::move(*socket), shaken);
}

}  // namespace tpuwh::server::kube::client
