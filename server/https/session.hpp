// One connection, from its first byte to its last.
#pragma once

#include "server/https/connections.hpp"
#include "server/https/handlers.hpp"
#include "server/log/throttle.hpp"
#include "server/net/asio.hpp"
#include "server/places/places.hpp"
#include "server/tls/context.hpp"

namespace tpuwh::server {

// What the sessions of one port and one event loop share; outlives them.
struct Service {
  Port port;
  Connections& connections;
  Handlers& handlers;
  Places& places;
  const Health& health;
  Log& log;
  Metrics& metrics;
  Throttle distrust;  // see serve_tls
};

// Serves requests until the peer leaves, an answer says Connection: close, a limit
// of server/limits/limits.hpp is passed, or the task is cancelled. Never throws. A peer that
// does not trust the certificate is worth a warning: it is how a wrong caBundle shows.
Task<void> serve_tls(Socket socket, tls::ContextPtr context, Service& service);
Task<void> serve_plain(Socket socket, Service& service);

}  // namespace tpuwh::server
