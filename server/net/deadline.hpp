// Ends what a coroutine waits for when its time is over.
//
// Boost 1.81 has no cancel_after; racing each operation against a timer costs two coroutine
// frames per read. This is one timer that makes the pending operation fail.
#pragma once

#include "server/net/asio.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace tpuwh::server::net {

class Deadline {
 public:
  explicit Deadline(Executor executor) : state_(std::make_shared<State>(executor)) {}
  ~Deadline() { disarm(); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  // At `at`, `cut` is called once, on the executor; it must make what is waited for fail.
  // Replaces an earlier one. What `cut` refers to lives until disarm().
  void arm(TimePoint at, std::function<void()> cut) {
    state_->cut = std::move(cut);
    state_->timer.expires_at(at);
    state_->timer.async_wait([state = state_](const error_code& error) {
      // One that had expired before it was replaced still comes here.
      if (error || !state->cut || Clock::now() < state->timer.expiry()) return;
      state->passed = true;
      std::exchange(state->cut, nullptr)();
    });
  }
  void disarm() {
    state_->cut = nullptr;
    state_->timer.cancel();
  }
  // Whether it has cut, ever.
  bool passed() const { return state_->passed; }

 private:
  struct State {
    explicit State(Executor executor) : timer(executor) {}
    Timer timer;
    std::function<void()> cut;
    bool passed = false;
  };
  std::shared_ptr<State> state_;
};

}  // namespace tpuwh::server::net
