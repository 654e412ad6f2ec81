// The owner of coroutines: nothing in the server runs detached.
//
// One group per event loop, used on its thread only. Declare it before the
// io_context it serves: frames that the context destroys last still refer to it.
#pragma once

#include "server/asio.hpp"

#include <boost/asio/cancellation_signal.hpp>

#include <cstddef>
#include <list>

namespace tpuwh::server {

class TaskGroup {
 public:
  // Starts `task` on `executor`. An exception that leaves it ends it, and nothing
  // else: tasks say what went wrong themselves.
  void spawn(Executor executor, Task<void> task);

  // Cancels what every task waits for; each ends at its next co_await.
  void cancel();

  // Waits until no task is left. At most one waiter, itself no task of the group.
  Task<void> join();

  std::size_t size() const { return running_.size(); }

 private:
  using Running = std::list<net::cancellation_signal>;
  void forget(Running::iterator task);

  Running running_;
  Timer* joining_ = nullptr;
};

}  // namespace tpuwh::server
