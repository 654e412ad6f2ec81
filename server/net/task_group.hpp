// The owner of coroutines: nothing in the server runs detached.
//
// One group per event loop, used on its thread only. io_context::run() returns when
// the last task has ended, which is how they are joined. Declare the group before the
// context: frames that the context destroys last still refer to it.
#pragma once

#include "server/net/asio.hpp"

#include <boost/asio/cancellation_signal.hpp>

#include <exception>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <utility>

namespace tpuwh::server::net {

// Before a task is started again: twice as long each time, and the first again after it has lived
// for the longest.
struct RestartPauses {
  Clock::duration first = std::chrono::seconds(1);
  Clock::duration most = std::chrono::seconds(60);
};

// An exception has left a task.
struct TaskFailure {
  std::string_view task;       // as keep() called it; "" for one of spawn(), which has ended
  std::string_view what;       // the exception says
  Clock::duration pause = {};  // until it is started again
};

class TaskGroup {
 public:
  using Make = std::function<Task<void>()>;

  TaskGroup() = default;
  explicit TaskGroup(RestartPauses pauses) : pauses_(pauses) {}

  // Who says and counts it. Called on the loop's thread.
  void when_failed(std::function<void(const TaskFailure&)> tell) { tell_ = std::move(tell); }

  // Starts `task` on `executor`. An exception that leaves it ends it, and nothing else.
  void spawn(Executor executor, Task<void> task);

  // A task that must live as long as the group: what `make` gives runs, and where an exception
  // leaves it, `make` is asked for another after a pause. A keeper of certificates once ended for
  // good, without a word, by one answer of another type. It ends by cancel(), or by returning.
  void keep(Executor executor, std::string name, Make make);

  // Cancels what every task waits for; each ends at its next co_await.
  void cancel();

 private:
  Task<void> live(Executor executor, std::string name, Make make);
  void tell(std::string_view task, const std::exception_ptr& fault,
            Clock::duration pause) const noexcept;

  RestartPauses pauses_;
  std::function<void(const TaskFailure&)> tell_;
  std::list<boost::asio::cancellation_signal> running_;
};

}  // namespace tpuwh::server::net
