// How long a peer may still keep us waiting for its body.
#pragma once

#include "server/limits/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tpuwh::server::https {

// limits::body_grace at first; what it lets pass goes off, what it sends comes back at
// limits::body_bytes_per_second, never beyond the grace.
class BodyPace {
 public:
  limits::Duration left() const { return std::chrono::duration_cast<limits::Duration>(left_); }

  // After `waited` there came so many bytes.
  void on_bytes(std::chrono::nanoseconds waited, std::size_t bytes) {
    constexpr auto second = std::chrono::nanoseconds(std::chrono::seconds(1)).count();
    constexpr auto rate = static_cast<std::int64_t>(limits::body_bytes_per_second);
    const std::chrono::nanoseconds earned(static_cast<std::int64_t>(bytes) * second / rate);
    left_ = std::clamp(left_ - waited + earned, std::chrono::nanoseconds::zero(), grace);
  }

 private:
  static constexpr std::chrono::nanoseconds grace = limits::body_grace;
  std::chrono::nanoseconds left_ = grace;
};

}  // namespace tpuwh::server::https
