// Is the process alive, and should it be sent requests? Thread safe.
#pragma once

#include "server/net/asio.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::https {

class Health {
 public:
  // `loops`: event loops that report.
  explicit Health(std::size_t loops);

  // Event loop `loop` has turned.
  void beat(std::size_t loop, net::TimePoint now);

  // The port is open, until draining begins.
  void set_serving() { serving_ = true; }
  void set_draining() { draining_ = true; }
  bool draining() const { return draining_.load(std::memory_order_relaxed); }

  // A cluster is to be listed before the first request; and it has been.
  void await_cluster() { synced_ = false; }
  void set_synced() { synced_ = true; }

  // Sets the text that what_is_off() returns: a list of the features that are off, or "" if no
  // feature is off. The server can be ready while features are off.
  void set_off(std::string off);
  std::string what_is_off() const;

  // Sets the time at which the certificate in use expires. The zero time means that there is no
  // certificate yet.
  void set_certificate_end(std::chrono::system_clock::time_point end);
  std::chrono::system_clock::time_point certificate_end() const;

  // "" for yes, else what is wrong, for a person.
  std::string_view why_not_alive(net::TimePoint now) const;
  std::string_view why_not_ready(std::chrono::system_clock::time_point now) const;

 private:
  std::vector<std::atomic<net::Clock::rep>> beats_;
  std::atomic<std::chrono::system_clock::rep> certificate_end_;
  std::atomic<bool> serving_{false};
  std::atomic<bool> synced_{true};
  std::atomic<bool> draining_{false};
  mutable std::mutex off_mutex_;
  std::string off_;
};

}  // namespace tpuwh::server::https
