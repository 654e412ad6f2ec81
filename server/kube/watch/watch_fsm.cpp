#include "server/kube/watch/watch_fsm.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::kube::watch {
namespace {

namespace api = server::limits::api;

std::chrono::seconds watch_timeout(double random) {
  const auto range = limits::api::watch_most - limits::api::watch_least;
  return limits::api::watch_least +
         std::chrono::duration_cast<std::chrono::seconds>(random * range);
}

bool is_internal(const client::Status& status) {
  return status.code >= 500 || status.reason == "InternalError";
}

bool asks_to_wait(const client::Status& status) {
  return status.code == 429 || status.retry_after.has_value();
}

}  // namespace

// --- what is done ----------------------------------------------------------

Step WatchFsm::begin(Tick tick) {
  continue_.clear();
  initial_ = watch_list_;
  Step step = initial_ ? open(tick) : list();
  step.note = Note::begin_relist;
  return step;
}

Step WatchFsm::list() {
  state_ = WatchState::listing;
  // Pages that expire faster than they are fetched: all at once, as client-go's pager.
  const unsigned limit = restarts_ < 2 ? limits::api::page_items : 0;
  return {.note = Note::none, .action = ListPage{.continue_token = continue_, .limit = limit}};
}

Step WatchFsm::open(Tick tick) {
  state_ = WatchState::opening;
  timeout_ = watch_timeout(tick.random);
  const std::string from = initial_ ? std::string() : version_;
  return {.note = Note::none,
          .action = OpenWatch{.version = from, .timeout = timeout_, .initial_events = initial_}};
}

Step WatchFsm::wait(Next next, net::Clock::duration time) {
  state_ = WatchState::waiting;
  next_ = next;
  return {.note = Note::none, .action = Wait{time}};
}

Step WatchFsm::back_off(Next next, Tick tick) {
  return wait(next, backoff_.next(tick));
}

// What Retry-After says, and a little more at random: it says the same to everybody.
Step WatchFsm::obey(Next next, const client::Status& status, Tick tick) {
  if (!status.retry_after) return back_off(next, tick);
  const auto time =
      std::min<net::Clock::duration>(*status.retry_after, limits::api::retry_after_most);
  return wait(next, time + Backoff::spread(time / 4, tick.random));
}

Step WatchFsm::slow_down(Next next, Trouble trouble, Tick tick) {
  trouble_ = trouble;
  return wait(next,
              limits::api::slow_retry + Backoff::spread(limits::api::slow_retry / 4, tick.random));
}

// --- how a state is fetched ------------------------------------------------

Step WatchFsm::start(Tick tick) {
  return begin(tick);
}

Step WatchFsm::waited(Tick tick) {
  if (next_ == Next::page) return list();
  if (next_ == Next::watch) return open(tick);
  return begin(tick);
}

Step WatchFsm::page(const std::string& continue_token, const std::string& version, Tick tick) {
  healthy();
  continue_ = continue_token;
  if (!continue_.empty()) return list();  // whatever the page held: only this is the end
  take_snapshot(version);
  Step step = open(tick);
  step.note = Note::end_relist;
  return step;
}

void WatchFsm::take_snapshot(std::string_view version) {
  healthy();
  version_ = version;
  synced_ = true;
  initial_ = false;
  restarts_ = 0;
  silences_ = 0;
}

// The state we hold is of no more use as a start. The first time at once, because a store
// that stands still gives no ids; again only after a pause.
Step WatchFsm::relist(Tick tick) {
  ++relists_;
  const bool again = relisted_ && tick.now < *relisted_ + limits::api::backoff_reset;
  relisted_ = tick.now;
  return again ? back_off(Next::begin, tick) : begin(tick);
}

// For good: a server is not likely to learn it while we run.
Step WatchFsm::no_watch_list(Tick tick) {
  watch_list_ = false;
  return begin(tick);
}

void WatchFsm::healthy() {
  trouble_ = Trouble::none;
  error_.clear();
  internal_since_.reset();
}

// --- lists -----------------------------------------------------------------

Step WatchFsm::list_refused(const client::Status& status, Tick tick) {
  error_ = client::sentence("list", resource_, status);
  if (status.code == 403) return slow_down(Next::begin, Trouble::forbidden, tick);
  if (status.code == 404) return slow_down(Next::begin, Trouble::not_served, tick);
  if (status.expired()) return restart_list(tick);
  if (asks_to_wait(status)) return obey(Next::page, status, tick);
  const bool passes = is_internal(status) || status.code == 401;
  return back_off(passes ? Next::page : Next::begin, tick);
}

// The token that such an answer may carry continues with a later state: not ours.
Step WatchFsm::restart_list(Tick tick) {
  return ++restarts_ == 1 ? begin(tick) : back_off(Next::begin, tick);
}

// --- watches ---------------------------------------------------------------

Step WatchFsm::watch_opened(Tick tick) {
  state_ = initial_ ? WatchState::receiving : WatchState::watching;
  trouble_ = Trouble::none;
  opened_ = tick.now;
  heard_ = false;
  return {.note = Note::none, .action = ReadOn{}};
}

Step WatchFsm::watch_refused(const client::Status& status, Tick tick) {
  error_ = client::sentence("watch", resource_, status);
  if (initial_ && (status.code == 422 || status.code == 400)) return no_watch_list(tick);
  if (status.code == 403) return slow_down(next_watch(), Trouble::forbidden, tick);
  if (status.code == 404) return slow_down(Next::begin, Trouble::not_served, tick);
  if (status.expired()) return relist(tick);
  // A server that was restored, or one of several that lags: our version is of no use there.
  if (status.version_too_large()) return back_off(Next::begin, tick);
  if (asks_to_wait(status)) return obey(next_watch(), status, tick);
  if (status.code == 401) return back_off(next_watch(), tick);
  return is_internal(status) ? internal_error(tick) : back_off(Next::begin, tick);
}

Step WatchFsm::event(const decode::WatchEvent& event, Tick tick) {
  heard_ = true;
  silences_ = 0;
  if (event.type == decode::EventType::unknown) return {};
  if (event.version.empty()) return undecodable("an event without a resourceVersion", tick);
  const bool bookmark = event.type == decode::EventType::bookmark;
  if (state_ == WatchState::receiving) {
    if (bookmark && event.initial_events_end) {
      take_snapshot(event.version);
      state_ = WatchState::watching;
      return {.note = Note::end_relist, .action = ReadOn{}};
    }
    // Events come and the bookmark does not: the server took no notice of sendInitialEvents.
    if (tick.now > opened_ + limits::api::initial_events) return no_watch_list(tick);
  } else {
    healthy();
    version_ = event.version;
  }
  return {.note = bookmark ? Note::moved : Note::apply, .action = ReadOn{}};
}

Step WatchFsm::error_event(const client::Status& status, Tick tick) {
  error_ = client::sentence("watch", resource_, status);
  if (asks_to_wait(status)) return obey(next_watch(), status, tick);
  if (initial_) return back_off(Next::begin, tick);
  return is_internal(status) ? internal_error(tick) : relist(tick);
}

// The same version again, for as long as the server's own reflectors try it.
Step WatchFsm::internal_error(Tick tick) {
  if (!internal_since_) internal_since_ = tick.now;
  if (tick.now < *internal_since_ + limits::api::internal_errors)
    return back_off(next_watch(), tick);
  internal_since_.reset();
  ++relists_;
  return back_off(Next::begin, tick);
}

Step WatchFsm::stream_ended(Tick tick) {
  if (state_ == WatchState::receiving) {
    error_ = fmt::format("the watch of {} ended before its initial events did", resource_.name());
    return back_off(Next::begin, tick);
  }
  const auto lived = tick.now - opened_;
  if (lived < limits::api::watch_suspicious && !heard_) {
    error_ = fmt::format("the watch of {} closed at once without an event", resource_.name());
    return back_off(Next::watch, tick);
  }
  if (lived + limits::api::watch_margin >= timeout_) return open(tick);
  // Ended before its time: a server that stops closes everybody's watches at this moment.
  return wait(Next::watch, Backoff::spread(limits::api::reconnect_spread, tick.random));
}

// --- either ----------------------------------------------------------------

Step WatchFsm::connection_failed(std::string_view why, Tick tick) {
  const bool listing = state_ == WatchState::listing;
  error_ = fmt::format("{} of {}: {}", listing ? "list" : "watch", resource_.name(), why);
  return back_off(listing ? Next::page : next_watch(), tick);
}

Step WatchFsm::silent(Tick tick) {
  constexpr std::string_view why = "the API server stopped sending data";
  // A server that does not know watch-lists sends what there is, and then nothing.
  if (state_ == WatchState::receiving) watch_list_ = false;
  // One that was restored from a backup has an earlier version, and says nothing until it comes to
  // ours: not even a bookmark, for which we have asked. Twice is no accident of the network.
  if (state_ == WatchState::watching && ++silences_ >= 2) {
    silences_ = 0;
    error_ = fmt::format("watch of {}: {} twice; listing again", resource_.name(), why);
    return relist(tick);
  }
  return connection_failed(why, tick);
}

Step WatchFsm::undecodable(std::string_view why, Tick tick) {
  const bool listing = state_ == WatchState::listing;
  error_ = fmt::format("{} of {}: {}", listing ? "list" : "watch", resource_.name(), why);
  return listing || initial_ ? back_off(Next::begin, tick) : relist(tick);
}

}  // namespace tpuwh::server::kube::watch
