// The listening socket of one event loop.
#pragma once

#include "server/log/log.hpp"
#include "server/log/throttle.hpp"
#include "server/net/address.hpp"
#include "server/net/asio.hpp"
#include "server/serve/https/connections.hpp"

#include <functional>
#include <string>

namespace tpuwh::server::https {

// Opens a listening socket on `address`. If `address` has no host, the socket listens on every
// address: on IPv6 and IPv4 together, or on IPv4 alone if the machine has no IPv6. Throws
// std::runtime_error with a sentence.
net::Acceptor open_acceptor(net::Executor executor, const net::Address& address);

// Makes the kernel hand over a caller when the caller's first byte has come, or after about 3 s. A
// caller that sends nothing then takes no place and delays no other caller. TLS clients send first.
void await_first_byte(net::Acceptor& acceptor);

// Returns the same socket for another event loop. All callers wait in one queue of the kernel, and
// the event loop that is free first accepts the next caller. With a queue for each loop
// (SO_REUSEPORT), some callers waited twice as long as others. Throws std::runtime_error with a
// sentence.
net::Acceptor share_acceptor(net::Executor executor, net::Acceptor& acceptor);

// "127.0.0.1:8443", "[::]:8443"
std::string to_text(const net::Endpoint& endpoint);

class Listener {
 public:
  // `start` is called with each accepted socket, on the acceptor's event loop.
  // `connections` are those of its port.
  Listener(net::Acceptor acceptor, Connections& connections, log::Log& log,
           std::function<void(net::Socket)> start);

  // Accepts until stop() or cancellation. While the load is full the kernel's queue holds
  // callers, and for them a place is made free (Connections::make_room); so it is where the
  // process has no file left for one who is there.
  net::Task<void> run();

  // Takes in those who have connected already, then closes the socket: a reset is
  // all the others would get.
  void stop();

 private:
  net::Task<void> make_room();
  net::Task<void> pause();
  void take_in(net::Socket socket);
  const Load& load() const { return connections_.load(); }

  net::Acceptor acceptor_;
  Connections& connections_;
  log::Log& log_;
  std::function<void(net::Socket)> start_;
  log::Throttle full_;
};

}  // namespace tpuwh::server::https
