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
#include <utility>
#include <vector>

namespace tpuwh::server::https {

// The memory for bodies that one event loop keeps between reviews, so that a steady stream of
// reviews allocates nothing: at most limits::kept_bodies bodies of limits::kept_body_bytes each.
class KeptBodies {
 public:
  // Returns the memory of a kept body, or an empty string if none is kept.
  std::string take() {
    idle_ = 0;
    if (kept_.empty()) return {};
    std::string body = std::move(kept_.back());
    kept_.pop_back();
    return body;
  }

  void give_back(std::string&& body) {
    const bool fits = body.capacity() > std::string().capacity() &&
                      body.capacity() <= limits::kept_body_bytes + webhook::read::padding;
    if (fits && kept_.size() < limits::kept_bodies) kept_.push_back(std::move(body));
  }

  // Returns the capacity of the body that take() returns next, or 0 if none is kept.
  std::size_t capacity() const { return kept_.empty() ? 0 : kept_.back().capacity(); }

  // Must be called every limits::heartbeat.
  void beat() {
    if (++idle_ >= limits::kept_bodies_idle / limits::heartbeat) kept_.clear();
  }

 private:
  std::vector<std::string> kept_;
  int idle_ = 0;  // number of heartbeats since the last review
};

// What the sessions of one port and one event loop share; outlives them.
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
  KeptBodies bodies = {};
  boost::beast::flat_buffer read_buffer = {};   // the same for what is read
  Date date = {};                               // of answers; whoever owns this keeps it current
  bool flush_is_due = false;                    // of the log, at the end of the loop's turn
  std::size_t answered = 0;                     // requests
};

// Serves requests until the peer leaves, an answer says Connection: close, a limit
// of server/limits/limits.hpp is passed, or the task is cancelled. Never throws. A peer that
// does not trust the certificate, or has none that is asked for, is worth a warning: it is how a
// wrong caBundle shows, and an API server that was not told to show one.
net::Task<void> serve_tls(net::Socket socket, tls::ContextPtr context, Service& service);
net::Task<void> serve_plain(net::Socket socket, Service& service);

}  // namespace tpuwh::server::https
