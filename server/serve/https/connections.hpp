// The open connections of one port, and the limits on their waits.
//
// A session says what it waits for (`wait`); a sweep every limits::sweep closes the sockets
// whose wait has lasted too long, which ends the session's operation with an error. One pass
// over a list for all connections, in place of a timer set and cancelled at every read and
// write. The sweep has a thread of its own: a limit holds also where an event loop is busy. A peer
// whose bytes lie unread is not ended while it is the session that should read them; but nothing
// excuses a connection that has had no answer for limits::between_answers.
#pragma once

#include "server/limits/connections.hpp"
#include "server/net/asio.hpp"
#include "server/serve/https/load.hpp"

#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>

namespace tpuwh::server::https {

// What a connection waits for. All but `answer` are waits for the peer, who waits for us then;
// when the server is full, they may end early.
enum class Waiting { handshake, first_request, next_request, header, body, answer, write, linger };

// One wait, which may be made of several operations: for what, from when, until when.
struct Wait {
  Waiting what;
  net::TimePoint since;
  net::TimePoint until;

  // From now on.
  static Wait begin(Waiting what, limits::Duration limit);
};

class Connections;

// One connection's entry, owned by its session; counted while it lives.
class Connection {
 public:
  Connection(Connections& all, net::AnySocket& socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The session is about to wait so. LimitedStream says it for all that waits for the peer.
  void wait(const Wait& wait);
  // From now on, for at most `limit`.
  void wait(Waiting what, limits::Duration limit) { wait(Wait::begin(what, limit)); }

  // The session goes on: it is the peer who waits.
  void resume() { waiting_.store(Waiting::answer, std::memory_order_relaxed); }

  // An answer is on its way: limits::between_answers begins anew. True if it should be the
  // connection's last.
  bool begin_answer();

  // The handshake is over: it no longer counts as one in progress.
  void handshake_done() { handshake_.reset(); }

  // Bytes that this connection holds beyond what every connection may.
  Share& body() { return body_; }
  Share& unread() { return unread_; }
  // The turn of a large body, while it is looked at.
  LargeReview& large_review() { return large_review_; }

 private:
  friend class Connections;
  Waiting waiting() const { return waiting_.load(std::memory_order_relaxed); }
  net::TimePoint since() const { return to_time(since_); }
  bool is_too_late(net::TimePoint now) const;
  bool is_idle() const { return waiting() == Waiting::next_request; }
  bool is_waiting_for_peer() const;
  void close();

  using Ticks = std::atomic<net::Clock::rep>;
  static net::TimePoint to_time(const Ticks& ticks) {
    return net::TimePoint(net::Clock::duration(ticks.load(std::memory_order_relaxed)));
  }
  static net::Clock::rep to_ticks(net::TimePoint time) { return time.time_since_epoch().count(); }

  Connections& all_;
  const int socket_;  // open as long as the entry is in the list
  Share counted_;
  Share handshake_;
  Share body_;
  Share unread_;
  LargeReview large_review_;
  // Written by the session, read by the sweep.
  std::atomic<Waiting> waiting_{Waiting::handshake};
  Ticks since_{};
  Ticks deadline_{};
  Ticks last_{};  // whatever it waits for
  const net::TimePoint retire_at_;
  std::list<Connection*>::iterator entry_;
};

// Thread safe.
class Connections {
 public:
  explicit Connections(Load& load) : load_(load) {}

  // Closes what has waited too long.
  void sweep(net::TimePoint now);

  // Somebody wants to come in and there is no place: closes some of those that have kept us
  // waiting for limits::patience_when_full (idle ones: limits::idle_when_full). Where only
  // handshakes are all taken, some of those.
  void make_room(net::TimePoint now);

  // The same where files ran out, whatever is taken.
  void make_files(net::TimePoint now);

  // There is no memory left for bodies and answers: closes some of those that hold some and
  // have kept us waiting for limits::patience_when_full.
  void make_memory(net::TimePoint now);

  // From now on (draining) no connection waits for a next request longer than
  // limits::drain_idle.
  void stop_idling();

  void close_all();

  const Load& load() const { return load_; }

 private:
  friend class Connection;
  std::list<Connection*>::iterator enter(Connection& connection);
  void leave(std::list<Connection*>::iterator entry);
  std::size_t count_unfinished() const;
  template <class Wanted>
  void shed(net::TimePoint now, Wanted&& wanted);

  Load& load_;
  std::mutex mutex_;  // of open_, while its sockets are open
  std::list<Connection*> open_;
  std::atomic<bool> stop_idling_{false};
};

}  // namespace tpuwh::server::https
