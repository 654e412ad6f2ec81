#include "server/net/task_group.hpp"

#include "server/net/cancelled.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>

namespace tpuwh::server::net {

namespace {

// What cancel() leaves in a task that does not ask for error codes: no failure.
bool is_cancellation(const std::exception& fault) {
  const auto* error = dynamic_cast<const boost::system::system_error*>(&fault);
  return error != nullptr && error->code() == boost::asio::error::operation_aborted;
}

}  // namespace

void TaskGroup::spawn(Executor executor, Task<void> task) {
  const auto entry = running_.emplace(running_.end());
  // Posted, because the frame that calls us still holds the signal's slot.
  auto ended = [this, executor, entry](const std::exception_ptr& fault) {
    if (fault) tell({}, fault, {});
    boost::asio::post(executor, [this, entry] { running_.erase(entry); });
  };
  boost::asio::co_spawn(executor, std::move(task),
                        boost::asio::bind_cancellation_slot(entry->slot(), ended));
}

void TaskGroup::keep(Executor executor, std::string name, Make make) {
  spawn(executor, live(executor, std::move(name), std::move(make)));
}

// What it makes ends at its next co_await after cancel(), as tasks of spawn() do: a listener goes
// on after every error of its socket, and without that a cancelled one waited for the next caller.
Task<void> TaskGroup::live(Executor executor, std::string name, Make make) {
  Timer timer(executor);
  Clock::duration pause{};
  for (;;) {
    const TimePoint begun = Clock::now();
    std::exception_ptr fault;
    co_await boost::asio::this_coro::throw_if_cancelled(true);
    try {
      Task<void> task = make();
      co_await std::move(task);
      co_return;
    } catch (...) {
      fault = std::current_exception();
    }
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    const bool over = co_await cancelled();
    if (over) co_return;
    const bool lived = Clock::now() - begun >= pauses_.most;
    pause = lived ? pauses_.first : std::clamp(2 * pause, pauses_.first, pauses_.most);
    tell(name, fault, pause);
    timer.expires_after(pause);
    const auto [error] = co_await timer.async_wait(as_result);
    if (error) co_return;
  }
}

// Whoever is told may fail, too, such as for want of memory.
void TaskGroup::tell(std::string_view task, const std::exception_ptr& fault,
                     Clock::duration pause) const noexcept {
  try {
    if (!tell_) return;
    try {
      std::rethrow_exception(fault);
    } catch (const std::exception& known) {
      if (!is_cancellation(known)) tell_({task, known.what(), pause});
    } catch (...) {
      tell_({task, "an exception of no known type", pause});
    }
  } catch (...) {
  }
}

void TaskGroup::cancel() {
  for (auto task = running_.begin(); task != running_.end();) {
    (task++)->emit(boost::asio::cancellation_type::terminal);
  }
}

}  // namespace tpuwh::server::net
