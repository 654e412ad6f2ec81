// What is done with the connections, one class for each attack.
#pragma once

#include "peer.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>

namespace attacker {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct Options {
  std::string attack;
  Target target;
  std::size_t connections = 1;
  double seconds = 10;       // from the time at which all connections were tried once
  double reopen = 0;         // closed connections opened again, a second
  double charge = 0;         // key-updates: so many seconds' worth is made before it is sent
  bool request = false;      // key-updates: asks for the server's own
  bool trickle = false;      // slow-bodies: a byte every 100 ms
  bool complete = false;     // kept-bodies: sends the last byte once all stand
  bool unread = false;       // reviews: takes no answer
  std::string file;          // kept-bodies, reviews, polite: the body
  double every = 0.85;       // polite: seconds from one request of a connection to its next
  std::size_t addresses = 1;  // so many source addresses, from --bind on
  std::size_t at_once = 1;   // reviews under way
  std::size_t count = 1;     // reviews in all
};

// What is printed at the end.
using Counts = std::map<std::string, std::uint64_t>;

// What an attack remembers of one connection.
struct Notes {
  std::size_t sent = 0;       // reviews, or bytes of a body
  bool waiting = false;       // for an answer
  Clock::time_point last{};   // when something was sent
  std::string received;       // of an answer
};

class Attack {
 public:
  virtual ~Attack() = default;

  // The handshake is done.
  virtual void opened(Peer&, Notes&) {}
  // Something can be read or written, or some milliseconds have gone by.
  virtual void turn(Peer&, Notes&) = 0;
  // All had their turn. Who has sent least comes first.
  virtual void press(Peer&, Notes&) {}
  // Whether it has more to send than what the socket has not taken.
  virtual bool presses() const { return false; }
  // All connections were tried once.
  virtual void standing() {}
  virtual void closed(Notes&) {}
  // Whether it ends before its time.
  virtual bool done() const { return false; }

  Counts counts;
};

// Throws std::invalid_argument if there is no attack of that name.
std::unique_ptr<Attack> make_attack(const Options& options);

}  // namespace attacker
