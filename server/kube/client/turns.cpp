#include "server/kube/client/turns.hpp"

#include "server/net/cancelled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace tpuwh::server::kube::client {

// Stands in the list for as long as it lives.
class Queue::Waiter {
 public:
  Waiter(net::Executor executor, std::shared_ptr<State> state)
      : timer(executor), state_(std::move(state)) {
    place_ = state_->waiting.insert(state_->waiting.end(), this);
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() { state_->waiting.erase(place_); }

  std::size_t ahead() const {
    const std::list<Waiter*>& all = state_->waiting;
    return static_cast<std::size_t>(
        std::distance(all.begin(), std::list<Waiter*>::const_iterator(place_)));
  }
  net::TimePoint turn(net::TimePoint now) const { return state_->bucket.turn(now, ahead()); }
  bool take(net::TimePoint now) { return ahead() == 0 && state_->bucket.take(now); }

  // Whoever is behind us is nearer by one; not in the destructor, which may be a context's end.
  void wake_next() {
    if (const auto next = std::next(place_); next != state_->waiting.end()) (*next)->timer.cancel();
  }

  net::Timer timer;

 private:
  std::shared_ptr<State> state_;
  std::list<Waiter*>::iterator place_;
};

Queue::Queue(net::Executor executor, limits::api::Rate rate)
    : executor_(executor), state_(std::make_shared<State>(rate)) {}

net::Task<bool> Queue::turn(net::TimePoint until) {
  Waiter self(executor_, state_);
  for (;;) {
    const net::TimePoint now = net::Clock::now();
    const bool over = co_await net::cancelled();
    // Taken by who uses it: a turn that was promised to a caller who then gave up was lost, and
    // above 50 a second nothing was sent any more (docs/decisions/0020).
    const bool mine = !over && self.take(now);
    const net::TimePoint turn = self.turn(now);
    if (mine || over || turn > until) {
      self.wake_next();
      co_return mine;
    }
    // One in front of us may be late by a moment; never a busy loop.
    self.timer.expires_at(std::max<net::TimePoint>(turn, now + std::chrono::milliseconds(1)));
    co_await self.timer.async_wait(net::as_result);
  }
}

std::size_t Queue::free(net::TimePoint now) {
  const std::size_t turns = state_->bucket.turns(now);
  return turns - std::min(turns, state_->waiting.size());
}

Turns::Turns(net::Executor executor)
    : queues_{Queue(executor, limits::api::watching), Queue(executor, limits::api::questions),
              Queue(executor, limits::api::upkeep), Queue(executor, limits::api::claims)} {}

net::Task<std::string> Turns::wait(const Request& request, net::TimePoint until) {
  std::string why = hindrance(net::Clock::now());
  if (!why.empty()) co_return why;
  const bool mine = co_await queue(request.purpose).turn(until);
  if (mine) co_return hindrance(net::Clock::now());
  const bool over = co_await net::cancelled();
  co_return over ? "cancelled" : "client rate limit: no slot before the deadline";
}

void Turns::pause(const Request& request, std::chrono::seconds asked, net::TimePoint now) {
  const auto honoured = std::min<limits::Duration>(asked, limits::api::retry_after_most);
  paused_until_ = std::max<net::TimePoint>(paused_until_, now + honoured);
  pause_ = fmt::format("the API server answered 429 to {} {} and asked for a pause of {} s",
                       request.method, request.target.substr(0, request.target.find('?')),
                       asked.count());
}

std::string Turns::hindrance(net::TimePoint now) const {
  if (now >= paused_until_) return {};
  const std::chrono::duration<double> left = paused_until_ - now;
  return fmt::format("{}; {:.1f} s of it are left", pause_, left.count());
}

std::size_t Turns::free(Purpose purpose, net::TimePoint now) {
  return now < paused_until_ ? 0 : queue(purpose).free(now);
}

}  // namespace tpuwh::server::kube::client
