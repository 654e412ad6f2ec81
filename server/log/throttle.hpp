// Keeps a line that a crowd of peers could cause from filling the log.
#pragma once

#include "server/limits/limits.hpp"
#include "server/net/asio.hpp"

namespace tpuwh::server::log {

// One event loop's; not thread safe.
class Throttle {
 public:
  // True at most once per limits::repeat.
  bool allows(net::TimePoint now) {
    if (now < next_) return false;
    next_ = now + limits::repeat;
    return true;
  }

 private:
  net::TimePoint next_;
};

}  // namespace tpuwh::server::log
