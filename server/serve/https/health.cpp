#include "server/serve/https/health.hpp"

#include "server/limits/limits.hpp"

#include <algorithm>
#include <utility>

namespace tpuwh::server::https {
namespace {

using SystemTime = std::chrono::system_clock::time_point;

}  // namespace

Health::Health(std::size_t loops)
    : beats_(loops), certificate_end_(SystemTime::max().time_since_epoch().count()) {
  for (std::size_t loop = 0; loop < loops; ++loop) beat(loop, net::Clock::now());
}

void Health::beat(std::size_t loop, net::TimePoint now) {
  beats_[loop].store(now.time_since_epoch().count(), std::memory_order_relaxed);
}

void Health::set_certificate_end(SystemTime end) {
  certificate_end_ = end.time_since_epoch().count();
}

SystemTime Health::certificate_end() const {
  return SystemTime(SystemTime::duration(certificate_end_));
}

void Health::set_off(std::string off) {
  const std::lock_guard lock(off_mutex_);
  off_ = std::move(off);
}

std::string Health::what_is_off() const {
  const std::lock_guard lock(off_mutex_);
  return off_;
}

std::string_view Health::why_not_alive(net::TimePoint now) const {
  const auto oldest = (now - limits::stuck).time_since_epoch().count();
  const bool stuck = std::any_of(beats_.begin(), beats_.end(),
                                 [oldest](const auto& beat) { return beat.load() < oldest; });
  return stuck ? "an event loop is stuck" : "";
}

std::string_view Health::why_not_ready(SystemTime now) const {
  if (!serving_) return "starting";
  if (draining_) return "draining";
  if (!synced_) return "the objects of the cluster have not all been listed yet; the log says why";
  if (certificate_end_ == 0)
    return "the certificate's files do not exist yet, or cannot be used; the log says why";
  if (now.time_since_epoch().count() >= certificate_end_) return "certificate expired";
  return "";
}

}  // namespace tpuwh::server::https
