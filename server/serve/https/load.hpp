// How much of the server is in use, counted over all threads, and the caps.
#pragma once

#include "server/serve/https/large_reviews.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>

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

// One port's use. Thread safe.
struct Load {
  Load(std::size_t most_connections, std::size_t most_handshakes, std::size_t most_held_bytes)
      : connections(most_connections), handshakes(most_handshakes), held_bytes(most_held_bytes) {}

  bool full() const { return connections.full() || handshakes.full(); }

  Quota connections;
  Quota handshakes;
  Quota held_bytes;  // limits::held_bytes
  LargeReviews large_reviews;
};

}  // namespace tpuwh::server::https
