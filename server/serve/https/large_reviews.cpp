#include "server/serve/https/large_reviews.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace tpuwh::server::https {

LargeReviews::WaiterPtr LargeReviews::take_or_wait(net::Executor executor, Pass pass) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(taken_, true)) return nullptr;
  return queue(pass).emplace_back(std::make_shared<Waiter>(executor));
}

bool LargeReviews::leave(const WaiterPtr& waiter, Pass pass) {
  const std::lock_guard lock(mutex_);
  std::erase(queue(pass), waiter);
  return waiter->has_place;
}

// The next one has it from now on, so that nobody who comes meanwhile is before it.
void LargeReviews::give_back() {
  WaiterPtr next;
  {
    const std::lock_guard lock(mutex_);
    Queue& waiting = second_.empty() ? first_ : second_;
    taken_ = !waiting.empty();
    if (!taken_) return;
    next = std::move(waiting.front());
    waiting.pop_front();
    next->has_place = true;
  }
  // Behind its async_wait(), which is begun in the step of its loop that made it.
  const auto executor = next->timer.get_executor();
  boost::asio::post(executor, [next = std::move(next)] { next->timer.cancel(); });
}

// Not a timer stays in the queue whose loop may be gone.
class LargeReviews::Queued {
 public:
  Queued(LargeReviews& all, WaiterPtr waiter, Pass pass)
      : all_(all), waiter_(std::move(waiter)), pass_(pass) {}
  ~Queued() {
    if (leave()) all_.give_back();
  }
  Queued(const Queued&) = delete;
  Queued& operator=(const Queued&) = delete;

  net::Timer& timer() { return waiter_->timer; }
  // Whether it has got the place, which the caller has from now on.
  bool leave() {
    const WaiterPtr waiter = std::exchange(waiter_, nullptr);
    return waiter != nullptr && all_.leave(waiter, pass_);
  }

 private:
  LargeReviews& all_;
  WaiterPtr waiter_;
  const Pass pass_;
};

net::Task<bool> LargeReview::take(net::Executor executor, LargeReviews::Pass pass,
                                  limits::Duration limit) {
  LargeReviews::WaiterPtr waiter = all_.take_or_wait(executor, pass);
  held_ = waiter == nullptr;
  if (held_) co_return true;
  LargeReviews::Queued queued(all_, std::move(waiter), pass);
  queued.timer().expires_after(limit);
  co_await queued.timer().async_wait(net::as_result);
  held_ = queued.leave();
  co_return held_;
}

void LargeReview::give_back() {
  if (std::exchange(held_, false)) all_.give_back();
}

}  // namespace tpuwh::server::https
