// The owner of coroutines: nothing in the server runs detached.
//
// One group per event loop, used on its thread only. io_context::run() returns when
// the last task has ended, which is how they are joined. Declare the group before the
// context: frames that the context destroys last still refer to it.
#pragma once

#include "server/net/asio.hpp"

#include <boost/asio/cancellation_signal.hpp>

#include <list>

namespace tpuwh::server::net {

class TaskGroup {
 public:
  // Starts `task` on `executor`. An exception that leaves it ends it, and nothing
  // else: tasks say what went wrong themselves.
  void spawn(Executor executor, Task<void> task);

  // Cancels what every task waits for; each ends at its next co_await.
  void cancel();

 private:
  std::list<boost::asio::cancellation_signal> running_;
};

}  // namespace tpuwh::server::net
