// How fast requests may be sent: so many a second, and a burst after silence.
#pragma once

#include "server/limits/limits.hpp"
#include "server/net/asio.hpp"

#include <algorithm>

namespace tpuwh::server::kube::client {

// One client's; not thread safe.
class TokenBucket {
 public:
  explicit TokenBucket(double per_second = limits::api::requests_per_second,
                       double burst = limits::api::request_burst)
      : per_second_(per_second), burst_(burst), tokens_(burst) {}

  // Takes a place and says how long its turn is away. Places are given in the order of
  // the calls, so nobody waits for ever; one that is not used is lost.
  net::Clock::duration take(net::TimePoint now) {
    using Seconds = std::chrono::duration<double>;
    tokens_ += per_second_ * Seconds(std::max(now - last_, net::Clock::duration::zero())).count();
    tokens_ = std::min(tokens_, burst_);
    last_ = std::max(last_, now);
    tokens_ -= 1;
    if (tokens_ >= 0) return net::Clock::duration::zero();
    return std::chrono::ceil<net::Clock::duration>(Seconds(-tokens_ / per_second_));
  }

 private:
  double per_second_;
  double burst_;
  double tokens_;
  net::TimePoint last_;
};

}  // namespace tpuwh::server::kube::client
