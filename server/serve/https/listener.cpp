#include "server/serve/https/listener.hpp"

#include "server/limits/limits.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/ip/v6_only.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tpuwh::server::https {
namespace {

namespace ip = boost::asio::ip;

// Throws boost::system::system_error.
net::Acceptor bind_and_listen(net::Executor executor, const net::Endpoint& endpoint) {
  net::Acceptor acceptor(executor, endpoint.protocol());
  acceptor.set_option(net::Acceptor::reuse_address(true));
  if (endpoint.address().is_v6()) acceptor.set_option(ip::v6_only(false));
  acceptor.bind(endpoint);
  acceptor.listen();
  return acceptor;
}

bool means_no_ipv6(const net::error_code& ec) {
  return ec == boost::asio::error::address_family_not_supported ||
         ec == boost::system::errc::address_not_available;
}

// Returns the number of callers that are connected but not yet accepted and wait in the kernel's
// queue. Returns 1 if the kernel does not report the number (gVisor).
//   source  Linux 6.1, net/ipv4/tcp.c: tcpi_unacked of a listening socket is that number
std::size_t count_waiting(net::Acceptor& acceptor) {
  tcp_info info{};
  socklen_t size = sizeof info;
  const bool known =
      ::getsockopt(acceptor.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
  return known ? std::max<std::size_t>(info.tcpi_unacked, 1) : 1;
}

bool means_no_files(const net::error_code& ec) {
  return ec == boost::asio::error::no_descriptors ||
         ec == boost::system::errc::too_many_files_open_in_system;
}

net::Acceptor open_on_all(net::Executor executor, std::uint16_t port) {
  try {
    return bind_and_listen(executor, net::Endpoint(ip::tcp::v6(), port));
  } catch (const boost::system::system_error& failure) {
    if (!means_no_ipv6(failure.code())) throw;
  }
  return bind_and_listen(executor, net::Endpoint(ip::tcp::v4(), port));
}

}  // namespace

net::Acceptor open_acceptor(net::Executor executor, const net::Address& address) {
  try {
    if (address.host.empty()) return open_on_all(executor, address.port);
    return bind_and_listen(executor, net::Endpoint(ip::make_address(address.host), address.port));
  } catch (const boost::system::system_error& failure) {
    throw std::runtime_error(fmt::format("cannot listen on {}:{}: {}", address.host, address.port,
                                         failure.code().message()));
  }
}

// Without this option, 5,000 slow callers that had sent nothing filled the kernel's accept queue,
// and every other caller waited in that queue for 3 s.
void await_first_byte(net::Acceptor& acceptor) {
  const int seconds = 3;
  ::setsockopt(acceptor.native_handle(), IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds);
}

net::Acceptor share_acceptor(net::Executor executor, net::Acceptor& acceptor) {
  const int socket = ::dup(acceptor.native_handle());
  if (socket < 0) throw std::runtime_error("cannot listen: no file descriptor is left");
  return {executor, acceptor.local_endpoint().protocol(), socket};
}

std::string to_text(const net::Endpoint& endpoint) {
  const auto host = endpoint.address().to_string();
  const bool v6 = endpoint.address().is_v6();
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "", endpoint.port());
}

Listener::Listener(net::Acceptor acceptor, Connections& connections, log::Log& log,
                   std::function<void(net::Socket)> start)
    : acceptor_(std::move(acceptor)),
      connections_(connections),
      log_(log),
      start_(std::move(start)) {}

net::Task<void> Listener::run() {
  while (acceptor_.is_open()) {
    if (load().full()) {
      co_await make_room();
      continue;
    }
    auto [error, socket] = co_await acceptor_.async_accept(net::as_result);
    if (!error) {
      take_in(std::move(socket));
    } else if (error != boost::asio::error::operation_aborted) {
      if (means_no_files(error))
        connections_.make_files(net::Clock::now(), count_waiting(acceptor_));
      co_await pause();  // or no memory: some will be freed
    }
  }
}

void Listener::stop() {
  net::error_code error;
  acceptor_.non_blocking(true, error);
  while (!error && !load().full()) {
    net::Socket socket = acceptor_.accept(error);
    if (!error) take_in(std::move(socket));
  }
  acceptor_.close(error);
}

// Once somebody is there to be let in.
net::Task<void> Listener::make_room() {
  const auto [error] = co_await acceptor_.async_wait(net::Acceptor::wait_read, net::as_result);
  if (error || !load().full()) co_return;
  connections_.make_room(net::Clock::now(), count_waiting(acceptor_));
  co_await pause();
}

net::Task<void> Listener::pause() {
  if (full_.allows(net::Clock::now())) {
    log_.warn("cannot accept: too many connections, handshakes or open files",
              {{"connections", std::uint64_t{load().connections.used()}},
               {"handshakes", std::uint64_t{load().handshakes.used()}}});
  }
  net::Timer timer(acceptor_.get_executor(), limits::accept_pause);
  co_await timer.async_wait(net::as_result);
}

void Listener::take_in(net::Socket socket) {
  net::error_code ignored;  // the answer is only later without it
  socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  start_(std::move(socket));
}

}  // namespace tpuwh::server::https
