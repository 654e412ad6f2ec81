#include "server/serve/https/large_reviews.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace tpuwh::server::https {

// The first member "namespace" belongs to the request, because an API server writes the namespace
// of the request before the object, and because a quote within a string is escaped. Only a caller
// that is not an API server can put the namespace of the object first.
std::string namespace_of(std::string_view review) {
  constexpr std::string_view key = R"("namespace":")";
  const std::string_view begin = review.substr(0, limits::first_body_bytes);
  const std::size_t at = begin.find(key);
  if (at == begin.npos) return {};
  const std::string_view value = begin.substr(at + key.size());
  return std::string(value.substr(0, value.find('"')));
}

LargeReviews::WaiterPtr LargeReviews::take_or_wait(net::Executor executor, Pass pass,
                                                   std::string ns) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(taken_, true)) return nullptr;
  const auto waiter = std::make_shared<Waiter>(executor);
  (pass == Pass::second ? second_ : first_).push({std::move(ns)}, *waiter);
  return waiter;
}

bool LargeReviews::leave(Waiter& waiter) {
  const std::lock_guard lock(mutex_);
  base::FairQueue::take_out(waiter, false);
  return waiter.has_place;
}

// The next one has it from now on, so that nobody who comes meanwhile is before it.
void LargeReviews::give_back() {
  WaiterPtr next;
  {
    const std::lock_guard lock(mutex_);
    base::FairQueue& waiting = second_.turns() == 0 ? first_ : second_;
    auto* const waiter = static_cast<Waiter*>(waiting.front());
    taken_ = waiter != nullptr;
    if (!taken_) return;
    base::FairQueue::take_out(*waiter, true);
    next = waiter->shared_from_this();
    next->has_place = true;
  }
  // Behind its async_wait(), which is begun in the step of its loop that made it.
  const auto executor = next->timer.get_executor();
  boost::asio::post(executor, [next = std::move(next)] { next->timer.cancel(); });
}

net::Task<bool> LargeReview::take(net::Executor executor, LargeReviews::Pass pass,
                                  limits::Duration limit, std::string ns) {
  const LargeReviews::WaiterPtr waiter = waiter_ = all_.take_or_wait(executor, pass, std::move(ns));
  held_ = waiter == nullptr;
  if (held_) co_return true;
  waiter->timer.expires_after(limit);
  co_await waiter->timer.async_wait(net::as_result);
  stop_waiting();
  co_return held_;
}

void LargeReview::stop_waiting() {
  if (waiter_ != nullptr) held_ = all_.leave(*std::exchange(waiter_, nullptr));
}

void LargeReview::give_back() {
  stop_waiting();
  if (std::exchange(held_, false)) all_.give_back();
}

}  // namespace tpuwh::server::https
