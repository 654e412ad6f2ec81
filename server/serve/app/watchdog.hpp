// A thread that needs no event loop: it hears the signals, and ends the process where an event
// loop no longer turns or an end does not come (server/serve/app/watch.hpp says when).
//
// It takes no lock and allocates nothing once it runs: whoever hangs may hold any of them.
#pragma once

#include "server/log/last_line.hpp"
#include "server/serve/app/watch.hpp"

#include <signal.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace tpuwh::server::app {

class Watchdog {
 public:
  // Before the process has another thread: signals are blocked in all that come later, so that
  // only this one hears them; they stay so. Until begin() SIGTERM and SIGINT end the process at
  // once. Throws std::runtime_error.
  Watchdog(log::LogFormat format, std::size_t loops, limits::Duration drain);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // From now on every loop has to turn.
  void begin() { begun_ = true; }

  // By the loop itself: it has turned; it will no more. Loop 0 is the health port's.
  void turned(std::size_t loop) { turns_[loop].fetch_add(1, std::memory_order_relaxed); }
  void ended(std::size_t loop) { turns_[loop].store(app::ended, std::memory_order_relaxed); }

  // A descriptor from which the control loop reads a byte for each SIGTERM, SIGINT or SIGHUP: its
  // number. Never blocks; this owns it.
  int signals() const { return pipe_[0]; }

 private:
  void run();
  void hear();
  [[noreturn]] void end(const Watch::Verdict& verdict);

  const sigset_t signals_;  // blocked; first, before a thread is started
  std::vector<std::atomic<Turns>> turns_;
  std::vector<Turns> seen_;  // of turns_, at a look
  std::atomic<bool> begun_{false};
  Watch watch_;
  log::LastLine last_line_;
  int heard_ = -1;  // a signalfd
  int over_ = -1;   // an eventfd: the thread is to end
  std::array<int, 2> pipe_{-1, -1};
  std::jthread thread_;  // last: it uses the rest
};

}  // namespace tpuwh::server::app
