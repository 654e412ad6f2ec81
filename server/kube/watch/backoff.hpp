// How long to wait after the n-th failure in a row.
#pragma once

#include "server/limits/limits.hpp"
#include "server/net/asio.hpp"

#include <algorithm>

namespace tpuwh::server::kube::watch {

// When something happens, and a random number in [0, 1) for what is to be spread.
struct Tick {
  net::TimePoint now;
  double random = 0;
};

class Backoff {
 public:
  // 0.8 to 1.6 s, then twice as much each time, up to 15 to 30 s. Starts again when the
  // last wait has been over for limits::api::backoff_reset.
  net::Clock::duration next(Tick tick) {
    namespace api = server::limits::api;
    if (tick.now > waited_until_ + limits::api::backoff_reset) step_ = limits::api::backoff_first;
    const auto wait = step_ + spread(step_, tick.random);
    step_ = std::min<net::Clock::duration>(2 * step_, limits::api::backoff_last);
    waited_until_ = tick.now + wait;
    return wait;
  }

  // A random part of `whole`.
  static net::Clock::duration spread(net::Clock::duration whole, double random) {
    return std::chrono::duration_cast<net::Clock::duration>(random * whole);
  }

 private:
  net::Clock::duration step_ = limits::api::backoff_first;
  net::TimePoint waited_until_;
};

}  // namespace tpuwh::server::kube::watch
