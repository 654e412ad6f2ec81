// How fast requests may be sent: so many a second, and a burst after silence.
#pragma once

#include "server/limits/limits.hpp"
#include "server/net/asio.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tpuwh::server::kube::client {

// Knows when there are turns, and takes one when it is used and not before: a turn that is only
// promised may never be used, and a debt of such turns is never paid. No clock, not thread safe.
class TokenBucket {
 public:
  explicit TokenBucket(limits::api::Rate rate) : rate_(rate), tokens_(rate.burst) {}

  // Turns that there are at `now`.
  std::size_t turns(net::TimePoint now) {
    refill(now);
    return static_cast<std::size_t>(tokens_);
  }

  // When there is a turn for who stands behind `ahead` others; not after `now`: there is.
  net::TimePoint turn(net::TimePoint now, std::size_t ahead) {
    refill(now);
    const double missing = static_cast<double>(ahead) + 1 - tokens_;
    if (missing <= 0) return now;
    return now + std::chrono::ceil<net::Clock::duration>(Seconds(missing / rate_.per_second));
  }

  // Takes `wanted` turns. Returns false and takes none if fewer turns are available.
  bool take(net::TimePoint now, std::size_t wanted = 1) {
    if (turns(now) < wanted) return false;
    tokens_ -= static_cast<double>(wanted);
    return true;
  }

  // Gives back turns that were taken but not used.
  void give_back(std::size_t unused) {
    tokens_ = std::min(tokens_ + static_cast<double>(unused), rate_.burst);
  }

 private:
  using Seconds = std::chrono::duration<double>;

  void refill(net::TimePoint now) {
    const auto passed = std::max(now - last_, net::Clock::duration::zero());
    last_ = std::max(last_, now);
    // What is a whole turn but for the rounding of doubles is one.
    constexpr double rounding = 1e-6;
    tokens_ += rate_.per_second * Seconds(passed).count();
    if (const double whole = std::round(tokens_); std::abs(tokens_ - whole) < rounding)
      tokens_ = whole;
    tokens_ = std::min(tokens_, rate_.burst);
  }

  limits::api::Rate rate_;
  double tokens_;
  net::TimePoint last_;
};

}  // namespace tpuwh::server::kube::client
