// The listening socket of one event loop.
#pragma once

#include "server/https/load.hpp"
#include "server/log/log.hpp"
#include "server/log/throttle.hpp"
#include "server/net/address.hpp"
#include "server/net/asio.hpp"

#include <functional>
#include <string>

namespace tpuwh::server {

// A listening socket on `address`. Several may share one port (SO_REUSEPORT): the
// kernel spreads connections over them. Without a host: every address, IPv6 and
// IPv4 on one socket, or IPv4 alone where the machine has no IPv6.
// Throws std::runtime_error with a sentence.
Acceptor open_acceptor(Executor executor, const Address& address);

// "127.0.0.1:8443", "[::]:8443"
std::string to_text(const Endpoint& endpoint);

class Listener {
 public:
  // `start` is called with each accepted socket, on the acceptor's event loop.
  Listener(Acceptor acceptor, Load& load, Log& log, std::function<void(Socket)> start);

  // Accepts until stop() or cancellation. While the load is full it waits: the
  // kernel's queue holds callers, and a place is soon free (Connections::sweep).
  Task<void> run();

  // Takes in those who have connected already, then closes the socket: a reset is
  // all the others would get.
  void stop();

 private:
  Task<void> pause();
  void take_in(Socket socket);

  Acceptor acceptor_;
  Load& load_;
  Log& log_;
  std::function<void(Socket)> start_;
  Throttle full_;
};

}  // namespace tpuwh::server
