// How much of the server is in use, counted over all threads, and the caps.
#pragma once

#include "server/serve/https/large_reviews.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace tpuwh::server::https {

// A number that many threads take from, up to a cap.
class Quota {
 public:
  explicit Quota(std::size_t cap) : cap_(cap) {}

  // All or nothing, and nothing of the last `left_to_others`. Added first and taken back: of two
  // that ask for the last of it at once both may be refused, but never both served.
  bool take(std::size_t amount, std::size_t left_to_others = 0) {
    const std::size_t most = cap_ - std::min(cap_, left_to_others);
    if (used_.fetch_add(amount, std::memory_order_relaxed) + amount <= most) return true;
    give_back(amount);
    return false;
  }
  // Beyond the cap if need be: for what is there already and must be counted.
  void force(std::size_t amount) { used_.fetch_add(amount, std::memory_order_relaxed); }
  void give_back(std::size_t amount) { used_.fetch_sub(amount, std::memory_order_relaxed); }

  std::size_t cap() const { return cap_; }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  bool full() const { return used() >= cap_; }

 private:
  const std::size_t cap_;
  std::atomic<std::size_t> used_{0};
};

// What of a quota one owner holds; given back at the end of its life.
class Share {
 public:
  explicit Share(Quota& quota) : quota_(&quota) {}
  ~Share() { reset(); }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  bool take(std::size_t amount, std::size_t left_to_others = 0) {
    if (!quota_->take(amount, left_to_others)) return false;
    held_ += amount;
    return true;
  }
  void force(std::size_t amount) {
    quota_->force(amount);
    held_ += amount;
  }
  void reset() {
    quota_->give_back(held_);
    held_ = 0;
  }
  std::size_t held() const { return held_; }

 private:
  Quota* quota_;
  std::size_t held_ = 0;
};

// The bytes of the reviews that wait for the cluster. Each namespace may hold half of the bytes
// that the other namespaces leave, so that no author can take all bytes from the others. Thread
// safe.
class WaitingBytes {
 public:
  explicit WaitingBytes(std::size_t cap) : cap_(cap) {}

  bool take(const std::string& ns, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    std::size_t& own = of_[ns];
    const bool fits = own + bytes <= (cap_ - std::min(cap_, used_ - own)) / 2;
    if (fits) {
      own += bytes;
      used_ += bytes;
    } else if (own == 0) {
      of_.erase(ns);
    }
    return fits;
  }
  void give_back(const std::string& ns, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    used_ -= bytes;
    const auto own = of_.find(ns);
    own->second -= bytes;
    if (own->second == 0) of_.erase(own);
  }

 private:
  std::mutex mutex_;
  const std::size_t cap_;
  std::size_t used_ = 0;
  std::map<std::string, std::size_t> of_;
};

// The bytes of one review in WaitingBytes, held for as long as the review waits for the cluster.
class WaitingReview {
 public:
  WaitingReview(WaitingBytes& all, std::string ns, std::size_t bytes)
      : all_(all), ns_(std::move(ns)), bytes_(all.take(ns_, bytes) ? bytes : 0) {}
  ~WaitingReview() {
    if (may_wait()) all_.give_back(ns_, bytes_);
  }
  WaitingReview(const WaitingReview&) = delete;
  WaitingReview& operator=(const WaitingReview&) = delete;

  // Returns false if the namespace of the review already holds its share.
  bool may_wait() const { return bytes_ > 0; }

 private:
  WaitingBytes& all_;
  const std::string ns_;
  const std::size_t bytes_;
};

// One port's use. Thread safe.
struct Load {
  Load(std::size_t most_connections, std::size_t most_handshakes, std::size_t most_held_bytes)
      : connections(most_connections), handshakes(most_handshakes), held_bytes(most_held_bytes) {}

  bool full() const { return connections.full() || handshakes.full(); }

  Quota connections;
  Quota handshakes;
  Quota held_bytes;  // limits::held_bytes
  WaitingBytes waiting_bytes{limits::waiting_bytes};
  LargeReviews large_reviews;
};

}  // namespace tpuwh::server::https
