// The Date of answers (RFC 9110 6.6.1: an origin server with a clock sends it).
#pragma once

#include <array>
#include <chrono>
#include <string_view>

namespace tpuwh::server::https {

// "Sun, 06 Nov 1994 08:49:37 GMT". Written by the loop's heartbeat, not for each request.
class Date {
 public:
  Date() { set(std::chrono::system_clock::now()); }

  void set(std::chrono::system_clock::time_point now);
  std::string_view text() const { return {text_.data(), text_.size()}; }

 private:
  std::chrono::sys_seconds written_{};
  std::array<char, 29> text_{};
};

}  // namespace tpuwh::server::https
