// The one place for reviews beyond limits::large_review_bytes, over all event loops.
//
// The peak of one such review is in the sum of limits/memory.hpp, of two it is not. The place is
// for reading and deciding alone: who asks the ledger, or has an answer to send, has given it
// back. Namespaces have it in turn; second passes, whose worker id is written already, go ahead of
// all first ones.
#pragma once

#include "base/fair_queue.hpp"
#include "server/limits/limits.hpp"
#include "server/net/asio.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace tpuwh::server::https {

// The namespace that a review names, as far as a look at its first bytes shows it: enough to take
// turns by, before there is memory to read it. "" where there is none.
std::string namespace_of(std::string_view review);

// Thread safe.
class LargeReviews {
 public:
  enum class Pass { first, second };

 private:
  friend class LargeReview;

  // Its timer is used on its own loop alone.
  struct Waiter : base::FairQueue::Entry, std::enable_shared_from_this<Waiter> {
    explicit Waiter(net::Executor executor) : timer(executor) {}
    net::Timer timer;
    bool has_place = false;  // guarded by mutex_
  };
  using WaiterPtr = std::shared_ptr<Waiter>;

  // The place, and nothing; or a waiter that will be called.
  WaiterPtr take_or_wait(net::Executor executor, Pass pass, std::string ns);
  // Whether it has got the place; if not, it does not want it any more.
  bool leave(Waiter& waiter);
  void give_back();

  std::mutex mutex_;
  bool taken_ = false;
  base::FairQueue first_, second_;
};

// A connection's turn; given back at the end of its life.
class LargeReview {
 public:
  explicit LargeReview(LargeReviews& all) : all_(all) {}
  ~LargeReview() { give_back(); }
  LargeReview(const LargeReview&) = delete;
  LargeReview& operator=(const LargeReview&) = delete;

  // Waits for the place. False if it has not come within `limit`, or the task was cancelled.
  net::Task<bool> take(net::Executor executor, LargeReviews::Pass pass, limits::Duration limit,
                       std::string ns = {});
  void give_back();

 private:
  // Also where the task ends while it waits: no timer stays in the queue whose loop may be gone.
  void stop_waiting();

  LargeReviews& all_;
  LargeReviews::WaiterPtr waiter_;
  bool held_ = false;
};

}  // namespace tpuwh::server::https
