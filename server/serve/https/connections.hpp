// The open connections of one port: the limits on their waits, and the rules by which a connection
// gives its place to a waiting caller.
//
// A connection keeps its place for as long as no caller waits for a place. While a caller waits
// (make_room), places are freed at a rate that bounds the wait of every caller, whoever holds the
// places and from whatever address. There are three ways: each answer except the answer to a review
// closes its connection (set by the handler, even while no caller waits), each tenth review of a
// connection closes that connection, and connections without a request in progress are closed,
// first the late ones, then those whose last review is oldest. So an honest caller that sends
// reviews often keeps its connection for ten reviews, and a caller whose connection was closed
// finds a place again within 2 s (tests/security/places.py).
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
#include <cstdint>
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

  // Notes that an answer is being sent, so that limits::between_answers starts again.
  void begin_answer();

  // Notes that the answer to a review is being sent. Returns true if the connection should be
  // closed after this answer, because the connection is old, or because callers wait and the
  // connection has had its share of reviews.
  bool begin_review_answer();

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
  limits::Duration patience() const;
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
  unsigned reviews_ = 0;  // number of answered reviews; used by the session alone
  const net::TimePoint retire_at_;
  std::list<Connection*>::iterator entry_;
};

// Thread safe.
class Connections {
 public:
  explicit Connections(Load& load) : load_(load) {}

  // Closes what has waited too long.
  void sweep(net::TimePoint now);

  // Makes room for `waiting` callers that wait for a place in the kernel's queue. Closes up to
  // `waiting` of the connections that have kept the server waiting for limits::patience_when_full,
  // an eighth of these connections at a time. If only the limit of handshakes is reached, only
  // connections in a handshake are closed. For limits::crowded from now on, no connection is kept
  // beyond its share of reviews.
  void make_room(net::TimePoint now, std::size_t waiting);

  // Makes room as make_room() does, but for a process that has no file descriptor left, whichever
  // limit is reached.
  void make_files(net::TimePoint now, std::size_t waiting);

  // There is no memory left for bodies and answers: closes some of those that hold some and
  // have kept us waiting for limits::patience_when_full.
  void make_memory(net::TimePoint now);

  // From now on (draining) no connection waits for a next request longer than
  // limits::drain_idle.
  void stop_idling();

  void close_all();

  Load& load() { return load_; }
  const Load& load() const { return load_; }

  // Returns the number of connections that were closed, with an answer or without one, because a
  // caller waited.
  std::uint64_t closed_for_others() const {
    return closed_for_others_.load(std::memory_order_relaxed);
  }

 private:
  friend class Connection;
  bool is_crowded(net::TimePoint now) const { return now < Connection::to_time(crowded_until_); }
  std::list<Connection*>::iterator enter(Connection& connection);
  void leave(std::list<Connection*>::iterator entry);
  std::size_t count_unfinished() const;
  template <class Wanted>
  std::size_t shed(net::TimePoint now, std::size_t most, Wanted&& wanted);
  template <class Wanted>
  void shed_for_others(net::TimePoint now, std::size_t waiting, Wanted&& wanted);

  Load& load_;
  std::mutex mutex_;  // of open_, while its sockets are open
  std::list<Connection*> open_;
  std::atomic<bool> stop_idling_{false};
  Connection::Ticks crowded_until_{};
  std::atomic<std::uint64_t> closed_for_others_{0};
};

}  // namespace tpuwh::server::https
