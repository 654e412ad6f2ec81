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

// One purpose's turns. The tenants of waiters are served in turn (base::FairQueue); each takes its
// turn when it has it, so that one that gives up or is cancelled costs the others nothing. An
// owner, which is the first two parts of a path, of which nothing waits is served before all
// others, and these leave a quarter of the saved turns to it.
class Queue {
 public:
  using Path = base::FairQueue::Path;

  Queue(net::Executor executor, limits::api::Rate rate);

  // Takes so many turns. False, and none taken: there are not as many until `until`, which is said
  // at once, or the coroutine was cancelled.
  net::Task<bool> turn(const Path& whose, net::TimePoint until, std::size_t turns = 1);
  // Whether whoever comes now has a turn until then.
  bool has_turn(const Path& whose, net::TimePoint until);
  // Turns that were taken and not used.
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
