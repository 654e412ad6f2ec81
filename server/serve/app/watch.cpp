#include "server/serve/app/watch.hpp"

#include <algorithm>

namespace tpuwh::server::app {

Watch::Watch(std::size_t loops, limits::Duration drain, net::TimePoint now)
    : loops_(loops), drain_(drain), last_(now) {}

void Watch::begin() {
  begun_ = true;
  for (Loop& loop : loops_) loop.turned_at = own_;
}

void Watch::signal() {
  ++signals_;
  if (signals_ == 1) {
    told_at_ = own_;
    over_by_ = own_ + drain_ + limits::drain_margin;
  } else {
    over_by_ = std::min(over_by_, own_ + limits::second_signal);
  }
}

std::optional<Watch::Verdict> Watch::look(net::TimePoint now, std::span<const Turns> turns) {
  const auto passed = std::chrono::duration_cast<Own>(now - last_);
  last_ = now;
  own_ += std::clamp(passed, Own(0), Own(limits::watch_step));
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    if (turns[i] != loops_[i].turns) loops_[i] = {turns[i], own_};
  }
  const auto seconds = [](Own time) { return std::chrono::floor<std::chrono::seconds>(time); };
  if (signals_ > 0 && !begun_) return Verdict{Why::not_begun, std::nullopt, {}};
  const auto loop = quietest();
  if (begun_ && loop && quiet(*loop) >= limits::stuck_for_good)
    return Verdict{Why::stuck, loop, seconds(quiet(*loop))};
  if (signals_ == 0 || own_ < over_by_) return std::nullopt;
  // Of those that turn, none is to blame.
  const bool hangs = loop && quiet(*loop) > 4 * limits::heartbeat;
  return Verdict{signals_ == 1 ? Why::not_drained : Why::not_at_once, hangs ? loop : std::nullopt,
                 seconds(own_ - told_at_)};
}

// Of the loops that have not ended, the one that has not turned for longest.
std::optional<std::size_t> Watch::quietest() const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    if (loops_[i].turns != ended && (!found || quiet(i) > quiet(*found))) found = i;
  }
  return found;
}

}  // namespace tpuwh::server::app
