#include "server/serve/app/watchdog.hpp"

#include "base/enum_names.hpp"
#include "server/net/thread.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace tpuwh::server::app {
namespace {

// SIGHUP, too: unhandled it ends the process at once, and requests in progress with it.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

int require(int result, std::string_view what) {
  if (result >= 0) return result;
  throw std::runtime_error(fmt::format("cannot open {}: {}", what, std::strerror(errno)));
}

constexpr base::EnumNames<Watch::Why::not_at_once> messages(
    "received a signal to end before it served",
    "an event loop does not turn; the process ends, to be started again",
    "not drained in time; the process ends at once",
    "second signal, and no end; the process ends at once");

}  // namespace

Watchdog::Watchdog(log::LogFormat format, std::size_t loops, limits::Duration drain)
    : signals_(block_signals()),
      turns_(loops),
      seen_(loops),
      watch_(loops, drain, net::Clock::now()),
      last_line_(format, STDERR_FILENO) {
  heard_ = require(::signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK), "a signalfd");
  over_ = require(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "an eventfd");
  require(::pipe2(pipe_.data(), O_CLOEXEC | O_NONBLOCK), "a pipe");
  thread_ = net::start_thread("watchdog", [this] { run(); });
}

Watchdog::~Watchdog() {
  ::eventfd_write(over_, 1);
  thread_ = {};
  for (const int file : {heard_, over_, pipe_[0], pipe_[1]}) ::close(file);
}

void Watchdog::run() {
  std::array<pollfd, 2> files{pollfd{heard_, POLLIN, 0}, pollfd{over_, POLLIN, 0}};
  bool begun = false;
  for (;;) {
    ::poll(files.data(), files.size(), static_cast<int>(limits::heartbeat.count()));
    if (files[1].revents != 0) return;
    if (!begun && begun_) {
      begun = true;
      watch_.begin();
    }
    hear();
    for (std::size_t i = 0; i < turns_.size(); ++i)
      seen_[i] = turns_[i].load(std::memory_order_relaxed);
    if (const auto verdict = watch_.look(net::Clock::now(), seen_)) end(*verdict);
  }
}

void Watchdog::hear() {
  signalfd_siginfo signal{};
  while (::read(heard_, &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo != SIGHUP) watch_.signal();
    // Full: 65,536 signals that nobody has taken, whose first this knows of.
    const auto number = static_cast<unsigned char>(signal.ssi_signo);
    [[maybe_unused]] const auto written = ::write(pipe_[1], &number, 1);
  }
}

// At once: what runs at a usual end might wait for whoever hangs.
void Watchdog::end(const Watch::Verdict& verdict) {
  std::array<char, 32> name{};
  std::string_view loop = "control";  // it serves the health port and the cluster's client
  if (verdict.loop && *verdict.loop > 0) {
    const auto end = fmt::format_to_n(name.data(), name.size(), "reviews {}", *verdict.loop);
    loop = {name.data(), end.size};
  }
  const auto seconds = static_cast<std::uint64_t>(verdict.lasted.count());
  const bool begun = verdict.why != Watch::Why::not_begun;
  const auto level = begun ? log::LogLevel::error : log::LogLevel::info;
  const std::string_view message = messages[verdict.why];
  if (verdict.loop)
    last_line_.write(level, message, {{"loop", loop}, {"seconds", seconds}});
  else
    last_line_.write(level, message, {{"seconds", seconds}});
  ::_exit(begun ? 1 : 0);
}

}  // namespace tpuwh::server::app
