// When a request may be sent: in its turn, and not while the API server has asked for a pause.
#pragma once

#include "base/fair_queue.hpp"
#include "server/kube/client/request.hpp"
#include "server/limits/limits.hpp"
#include "server/net/asio.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace tpuwh::server::kube::client {

// The turns of one purpose. The tenants of the waiters are served in turn (base::FairQueue). Each
// waiter takes its turn only when the turn has come, so a waiter that gives up or is cancelled
// costs the others nothing. An owner is the first two parts of a path. An owner that has no other
// waiters is served before all other owners, which leave a quarter of the saved turns to such an
// owner.
class Queue {
 public:
  using Path = base::FairQueue::Path;

  Queue(net::Executor executor, limits::api::Rate rate);

  // Takes `turns` turns and returns true. Returns false and takes none if the coroutine is
  // cancelled, or, at once, if there will not be enough turns before `until`.
  net::Task<bool> turn(const Path& whose, net::TimePoint until, std::size_t turns = 1);
  // Returns whether a caller that comes now has a turn before `until`.
  bool has_turn(const Path& whose, net::TimePoint until);
  // Gives back turns that were taken but not used.
  void give_back(std::size_t turns);

  // That could be had now, without waiting.
  std::size_t free(net::TimePoint now);

 private:
  class Waiter;
  struct State;

  net::Executor executor_;
  std::shared_ptr<State> state_;  // a frame that waits may outlive us
};

// One client's; on its thread.
class Turns {
 public:
  explicit Turns(net::Executor executor);

  // "" once the request may be sent; else why it may not, at once where that is known.
  net::Task<std::string> wait(const Request& request, net::TimePoint until);

  // An answer asked for this by 429 and Retry-After. Until then all calls fail at once: the API
  // server's queues are by user, and all of ours are one user's.
  void pause(const Request& request, std::chrono::seconds asked, net::TimePoint now);

  // How many calls of this purpose could be sent now.
  std::size_t free(Purpose purpose, net::TimePoint now);

  Queue& queue(Purpose purpose) { return queues_[static_cast<std::size_t>(purpose)]; }

 private:
  std::string hindrance(net::TimePoint now) const;

  std::array<Queue, purpose_count> queues_;
  net::TimePoint paused_until_;
  std::string pause_;  // what was asked for, and by which answer
};

}  // namespace tpuwh::server::kube::client
