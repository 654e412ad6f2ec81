// The one place for reviews beyond limits::large_review_bytes, over all event loops.
//
// The peak memory of one such review is part of the sum in limits/memory.hpp, but not that of two.
// A review holds the place only while it is read and decided, and gives the place back before it
// asks the ledger or sends its answer. Namespaces have the place in turn. Second passes go before
// all first passes, because the worker id of a second pass is already written.
#pragma once

#include "base/fair_queue.hpp"
#include "server/limits/limits.hpp"
#include "server/net/asio.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace tpuwh::server::https {

// Returns the namespace that a review names, or "" if its first bytes name none. Only the first
// bytes are searched, because the namespace is needed for taking turns before there is memory to
// read the whole review.
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
  // Leaves the queue of waiters, also if the task ends while it waits, because the queue must not
  // keep a timer whose event loop may be gone.
  void stop_waiting();

  LargeReviews& all_;
  LargeReviews::WaiterPtr waiter_;
  bool held_ = false;
};

}  // namespace tpuwh::server::https
