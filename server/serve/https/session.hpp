// One connection, from its first byte to its last.
#pragma once

#include "server/kube/places/claims.hpp"
#include "server/kube/places/places.hpp"
#include "server/log/throttle.hpp"
#include "server/net/asio.hpp"
#include "server/serve/https/connections.hpp"
#include "server/serve/https/date.hpp"
#include "server/serve/https/handlers.hpp"
#include "server/tls/context.hpp"

#include <boost/beast/core/flat_buffer.hpp>

#include <string>

namespace tpuwh::server::https {

// The objects that the sessions of one port and one event loop share. Must outlive the sessions.
struct Service {
  Port port;
  Connections& connections;
  Handlers& handlers;
  kube::places::Places& places;
  kube::places::Claims& claims;
  const Health& health;
  log::Log& log;
  metrics::Metrics& metrics;
  log::Throttle distrust = {}, strangers = {};  // see serve_tls
  std::string out = {};                         // an answer with its header, until it is written
  boost::beast::flat_buffer read_buffer = {};   // the same for what is read
  Date date = {};                               // of answers; whoever owns this keeps it current
  bool flush_is_due = false;                    // of the log, at the end of the loop's turn
  std::size_t answered = 0;                     // requests
};

// Serves requests until the peer leaves, an answer says Connection: close, a limit
// of server/limits/limits.hpp is passed, or the task is cancelled. Never throws. A peer that
// does not trust the certificate, or shows no certificate where one is required, is logged as a
// warning, because the cause is a wrong caBundle, or an API server that is not configured to show
// one.
net::Task<void> serve_tls(net::Socket socket, tls::ContextPtr context, Service& service);
net::Task<void> serve_plain(net::Socket socket, Service& service);

}  // namespace tpuwh::server::https
