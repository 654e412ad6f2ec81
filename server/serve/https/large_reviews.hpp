// The one place for reviews beyond limits::large_review_bytes, over all event loops.
//
// The peak of one such review is in the sum of limits/memory.hpp, of two it is not. The place is
// for reading and deciding alone: who asks the ledger, or has an answer to send, has given it
// back. Who comes first has it first; second passes, whose worker id is written already, go ahead
// of all first ones.
#pragma once

#include "server/limits/limits.hpp"
#include "server/net/asio.hpp"

#include <deque>
#include <memory>
#include <mutex>

namespace tpuwh::server::https {

// Thread safe.
class LargeReviews {
 public:
  enum class Pass { first, second };

 private:
  friend class LargeReview;

  // Its timer is used on its own loop alone.
  struct Waiter {
    explicit Waiter(net::Executor executor) : timer(executor) {}
    net::Timer timer;
    bool has_place = false;  // guarded by mutex_
  };
  using WaiterPtr = std::shared_ptr<Waiter>;
  using Queue = std::deque<WaiterPtr>;

  Queue& queue(Pass pass) { return pass == Pass::second ? second_ : first_; }
  // In the queue for as long as it lives, unless its turn has come.
  class Queued;

  // The place, and nothing; or a waiter that will be called.
  WaiterPtr take_or_wait(net::Executor executor, Pass pass);
  // Whether it has got the place; if not, it does not want it any more.
  bool leave(const WaiterPtr& waiter, Pass pass);
  void give_back();

  std::mutex mutex_;
  bool taken_ = false;
  Queue first_, second_;
};

// A connection's turn; given back at the end of its life.
class LargeReview {
 public:
  explicit LargeReview(LargeReviews& all) : all_(all) {}
  ~LargeReview() { give_back(); }
  LargeReview(const LargeReview&) = delete;
  LargeReview& operator=(const LargeReview&) = delete;

  // Waits for the place. False if it has not come within `limit`, or the task was cancelled.
  net::Task<bool> take(net::Executor executor, LargeReviews::Pass pass, limits::Duration limit);
  void give_back();

 private:
  LargeReviews& all_;
  bool held_ = false;
};

}  // namespace tpuwh::server::https
