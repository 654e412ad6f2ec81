#include "kubectl/print/progress.hpp"

#include <fmt/format.h>

#include <ostream>
#include <utility>

namespace tpuwh::server::print {

namespace {

constexpr std::chrono::seconds until_shown(2), between(1);
// ECMA-48: to the first column, then everything behind it erased.
constexpr auto erased_line = "\r\033[K";

}  // namespace

Progress::Progress(std::ostream* terminal) : terminal_(terminal) {
  if (terminal_ != nullptr) thread_ = std::jthread([this](std::stop_token stop) { show(stop); });
}

Progress::~Progress() = default;

void Progress::now(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void Progress::show(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto over = [&] { return stop.stop_requested(); };
  bool shown = false;
  for (auto next = begin_ + until_shown; !ended_.wait_until(lock, stop, next, over);
       next += between) {
    const auto spent =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin_);
    *terminal_ << fmt::format("{}{}, {} s", erased_line, what_, spent.count()) << std::flush;
    shown = true;
  }
  if (shown) *terminal_ << erased_line << std::flush;
}

}  // namespace tpuwh::server::print
