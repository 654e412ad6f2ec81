#include "server/net/task_group.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <utility>

namespace tpuwh::server::net {

void TaskGroup::spawn(Executor executor, Task<void> task) {
  const auto entry = running_.emplace(running_.end());
  // Posted, because the frame that calls us still holds the signal's slot.
  auto ended = [this, executor, entry](std::exception_ptr) {
    boost::asio::post(executor, [this, entry] { running_.erase(entry); });
  };
  boost::asio::co_spawn(executor, std::move(task),
                        boost::asio::bind_cancellation_slot(entry->slot(), ended));
}

void TaskGroup::cancel() {
  for (auto task = running_.begin(); task != running_.end();) {
    (task++)->emit(boost::asio::cancellation_type::terminal);
  }
}

}  // namespace tpuwh::server::net
