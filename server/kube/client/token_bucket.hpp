// How fast requests may be sent: so many a second, and a burst after silence.
#pragma once

#include "server/limits/limits.hpp"
#include "server/net/asio.hpp"

#include <algorithm>

namespace tpuwh::server::kube {

// One client's; not thread safe.
class TokenBucket {
 public:
  explicit TokenBucket(double per_second = server::limits::api::requests_per_second,
                       double burst = server::limits::api::request_burst)
      : per_second_(per_second), burst_(burst), tokens_(burst) {}

  // Takes a place and says how long its turn is away. Places are given in the order of
  // the calls, so nobody waits for ever; one that is not used is lost.
  Clock::duration take(TimePoint now) {
    using Seconds = std::chrono::duration<double>;
    tokens_ += per_second_ * Seconds(std::max(now - last_, Clock::duration::zero())).count();
    tokens_ = std::min(tokens_, burst_);
    last_ = std::max(last_, now);
    tokens_ -= 1;
    if (tokens_ >= 0) return Clock::duration::zero();
    return std::chrono::ceil<Clock::duration>(Seconds(-tokens_ / per_second_));
  }

 private:
  double per_second_;
  double burst_;
  double tokens_;
  TimePoint last_;
};

}  // namespace tpuwh::server::kube
