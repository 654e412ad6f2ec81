#include "server/kube/client/turns.hpp"

#include "server/kube/client/token_bucket.hpp"
#include "server/net/cancelled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tpuwh::server::kube::client {

struct Queue::State {
  explicit State(limits::api::Rate rate)
      : left_to_frugal(static_cast<std::size_t>(rate.burst / 4)), bucket(rate) {}

  const std::size_t left_to_frugal;
  TokenBucket bucket;
  base::FairQueue frugal, others;
};

class Queue::Waiter : private base::FairQueue::Entry {
 public:
  Waiter(net::Executor executor, State& state, const Path& whose, std::size_t wanted)
      : Entry(wanted),
        timer(executor),
        state_(state),
        frugal_(whose.empty() || state.frugal.turns(whose, 2) + state.others.turns(whose, 2) == 0) {
    queue().push(whose, *this);
  }

  net::TimePoint turn(net::TimePoint now) const {
    std::size_t ahead = is_front() ? 0 : queue().ahead_of(*this);
    if (!frugal_) ahead += state_.frugal.turns() + state_.left_to_frugal;
    return state_.bucket.turn(now, ahead + turns - 1);
  }
  bool take(net::TimePoint now) const {
    return is_front() && turn(now) <= now && state_.bucket.take(now, turns);
  }
  // Takes the waiter out and wakes the next waiters, because each of them may now have an earlier
  // turn. The destructor does not wake waiters, because it may run while an io_context is
  // destroyed.
  void leave(bool served) {
    base::FairQueue::take_out(*this, served);
    wake_next(state_);
  }
  static void wake_next(const State& state) {
    for (const base::FairQueue* queue : {&state.frugal, &state.others})
      if (auto* const next = queue->front()) static_cast<Waiter*>(next)->timer.cancel();
  }

  net::Timer timer;

 private:
  base::FairQueue& queue() const { return frugal_ ? state_.frugal : state_.others; }
  bool is_front() const { return queue().front() == this; }

  State& state_;
  const bool frugal_;
};

Queue::Queue(net::Executor executor, limits::api::Rate rate)
    : executor_(executor), state_(std::make_shared<State>(rate)) {}

net::Task<bool> Queue::turn(const Path& whose, net::TimePoint until, std::size_t turns) {
  const std::shared_ptr<State> state = state_;
  Waiter self(executor_, *state, whose, turns);
  for (;;) {
    const net::TimePoint now = net::Clock::now();
    const bool over = co_await net::cancelled();
    // Taken by who uses it: a turn that was promised to a caller who then gave up was lost, and
    // above 50 a second nothing was sent any more (docs/decisions/0020).
    const bool mine = !over && self.take(now);
    const net::TimePoint turn = self.turn(now);
    if (mine || over || turn > until) {
      self.leave(mine);
      co_return mine;
    }
    // One in front of us may be late by a moment; never a busy loop.
    self.timer.expires_at(std::max<net::TimePoint>(turn, now + std::chrono::milliseconds(1)));
    co_await self.timer.async_wait(net::as_result);
  }
}

bool Queue::has_turn(const Path& whose, net::TimePoint until) {
  return Waiter(executor_, *state_, whose, 1).turn(net::Clock::now()) <= until;
}

void Queue::give_back(std::size_t turns) {
  state_->bucket.give_back(turns);
  Waiter::wake_next(*state_);
}

std::size_t Queue::free(net::TimePoint now) {
  const std::size_t turns = state_->bucket.turns(now);
  return turns - std::min(turns, state_->frugal.turns() + state_->others.turns());
}

Turns::Turns(net::Executor executor)
    : queues_{Queue(executor, limits::api::watching), Queue(executor, limits::api::questions),
              Queue(executor, limits::api::upkeep), Queue(executor, limits::api::claims)} {}

net::Task<std::string> Turns::wait(const Request& request, net::TimePoint until) {
  std::string why = hindrance(net::Clock::now());
  if (!why.empty() || request.purpose == Purpose::paid) co_return why;
  const bool mine = co_await queue(request.purpose).turn(request.whose, until);
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
