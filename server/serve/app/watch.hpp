// What a watchdog makes of what it sees: a plain state machine (server/serve/app/watchdog.hpp is
// the thread). An event loop that does not turn, or an end that does not come, ends the process.
//
// Time is what the watchdog itself has lived through: of each look at most limits::watch_step
// counts. A process that was stopped (SIGSTOP, a debugger, a paused virtual machine, a suspended
// laptop, a container without CPU) is looked at once afterwards, not for as long as it slept, and
// its loops turn before a second look.
#pragma once

#include "server/limits/limits.hpp"
#include "server/net/asio.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tpuwh::server::app {

// How often each loop has turned, counted by the loop; `ended` once it never will again.
using Turns = std::uint32_t;
inline constexpr Turns ended = ~Turns{0};

class Watch {
 public:
  enum class Why {
    not_begun,    // told to end before it served: nothing is in progress
    stuck,        // a loop has not turned for limits::stuck_for_good
    not_drained,  // told to end; not over limits::drain_margin after its drain ought to be
    not_at_once,  // told twice; not over within limits::second_signal
  };
  // Ends the process.
  struct Verdict {
    Why why;
    std::optional<std::size_t> loop;  // the one that does not turn, if it is known
    std::chrono::seconds lasted{};    // since it turned last, or since the first signal
  };

  // `drain`: --drain-delay and --drain-timeout together.
  Watch(std::size_t loops, limits::Duration drain, net::TimePoint now);

  // From now on every loop has to turn.
  void begin();

  // SIGTERM or SIGINT.
  void signal();

  // At least every limits::heartbeat: `turns` of every loop.
  std::optional<Verdict> look(net::TimePoint now, std::span<const Turns> turns);

 private:
  using Own = limits::Duration;  // of its own time
  std::optional<std::size_t> quietest() const;
  Own quiet(std::size_t loop) const { return own_ - loops_[loop].turned_at; }

  struct Loop {
    Turns turns = 0;
    Own turned_at{};
  };
  std::vector<Loop> loops_;
  const Own drain_;
  net::TimePoint last_;
  Own own_{};  // how long it has looked
  bool begun_ = false;
  unsigned signals_ = 0;
  Own told_at_{}, over_by_{};  // with the first signal, and what it leads to
};

}  // namespace tpuwh::server::app
