// The open connections of one thread, and the limits on their waits.
//
// A session says what it waits for (`wait`); a sweep every limits::sweep closes
// the sockets whose wait has lasted too long, which ends the session's operation
// with an error. One pass over a list for all connections, in place of a timer
// set and cancelled at every read and write.
#pragma once

#include "server/https/load.hpp"
#include "server/limits/limits.hpp"
#include "server/net/asio.hpp"

#include <cstddef>
#include <list>

namespace tpuwh::server::https {

// What a connection waits for. The first four are waits for a peer who gives us
// nothing to do; when the server is full, they may end early.
enum class Waiting { handshake, first_request, next_request, header, body, write, linger };

class Connections;

// One connection's entry, owned by its session; counted while it lives.
class Connection {
 public:
  Connection(Connections& all, net::AnySocket& socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // From now on, for at most `limit`.
  void wait(Waiting what, limits::Duration limit);

  // The handshake is over: it no longer counts as one in progress.
  void handshake_done() { handshake_.reset(); }

  // Whether the next answer should be the connection's last.
  bool retired() const { return net::Clock::now() >= retire_at_; }

  // Bytes of a large body held by this connection.
  Share& large_body() { return large_body_; }

 private:
  friend class Connections;
  void close();

  Connections& all_;
  net::AnySocket& socket_;
  Share counted_;
  Share handshake_;
  Share large_body_;
  Waiting waiting_ = Waiting::handshake;
  net::TimePoint since_;
  net::TimePoint deadline_;
  net::TimePoint retire_at_;
  std::list<Connection*>::iterator entry_;
};

class Connections {
 public:
  explicit Connections(Load& load) : load_(load) {}

  // Closes what has waited too long. When the port is full, also, of those that
  // have kept us waiting for limits::patience_when_full: every unfinished handshake,
  // and if that is not the shortage, an eighth of the others, first those that have
  // never sent a request, then by the time they have waited.
  void sweep(net::TimePoint now);

  // From now on (draining) no connection waits for a next request longer than
  // limits::drain_idle.
  void stop_idling();

  void close_all();

  std::size_t size() const { return open_.size(); }

 private:
  friend class Connection;
  void shed_handshakes(net::TimePoint now);
  void shed_connections(net::TimePoint now);
  net::TimePoint retirement();

  Load& load_;
  std::list<Connection*> open_;
  bool stop_idling_ = false;
};

}  // namespace tpuwh::server::https
