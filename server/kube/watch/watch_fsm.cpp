#include "server/kube/watch/watch_fsm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

Step WatchFsm::begin(Moment moment) {
  continue_.clear();
  initial_ = watch_list_;
  Step step = initial_ ? open(moment) : list();
  step.note = Note::begin_relist;
  return step;
}

Step WatchFsm::list() {
  state_ = WatchState::listing;
  // Pages that expire faster than they are fetched: all at once, as client-go's pager.
  const unsigned limit = restarts_ < 2 ? limits::api::page_items : 0;
  return {.note = Note::none, .action = ListPage{.continue_token = continue_, .limit = limit}};
}

Step WatchFsm::open(Moment moment) {
  state_ = WatchState::opening;
  timeout_ = watch_timeout(moment.random);
  const std::string from = initial_ ? std::string() : version_;
  return {.note = Note::none,
          .action = OpenWatch{.version = from, .timeout = timeout_, .initial_events = initial_}};
}

Step WatchFsm::wait(Next next, net::Clock::duration time) {
  state_ = WatchState::waiting;
  next_ = next;
  return {.note = Note::none, .action = Wait{time}};
}

Step WatchFsm::back_off(Next next, Moment moment) {
  return wait(next, backoff_.next(moment));
}

// What Retry-After says, and a little more at random: it says the same to everybody.
Step WatchFsm::obey(Next next, const client::Status& status, Moment moment) {
  if (!status.retry_after) return back_off(next, moment);
  const auto time =
      std::min<net::Clock::duration>(*status.retry_after, limits::api::retry_after_most);
  return wait(next, time + Backoff::spread(time / 4, moment.random));
}

Step WatchFsm::slow_down(Next next, Trouble trouble, Moment moment) {
  trouble_ = trouble;
  return wait(
      next, limits::api::slow_retry + Backoff::spread(limits::api::slow_retry / 4, moment.random));
}

// --- how a state is fetched ------------------------------------------------

Step WatchFsm::start(Moment moment) {
  return begin(moment);
}

Step WatchFsm::waited(Moment moment) {
  if (next_ == Next::page) return list();
  if (next_ == Next::watch) return open(moment);
  return begin(moment);
}

Step WatchFsm::page(const std::string& continue_token, const std::string& version, Moment moment) {
  healthy();
  continue_ = continue_token;
  if (!continue_.empty()) return list();  // whatever the page held: only this is the end
  take_snapshot(version);
  Step step = open(moment);
  step.note = Note::end_relist;
  return step;
}

void WatchFsm::take_snapshot(std::string_view version) {
  healthy();
  version_ = version;
  synced_ = true;
  initial_ = false;
  restarts_ = 0;
}

// The state we hold is of no more use as a start. The first time at once, because a store
// that stands still gives no ids; again only after a pause.
Step WatchFsm::relist(Moment moment) {
  ++relists_;
  const bool again = relisted_ && moment.now < *relisted_ + limits::api::backoff_reset;
  relisted_ = moment.now;
  return again ? back_off(Next::begin, moment) : begin(moment);
}

// For good: a server is not likely to learn it while we run.
Step WatchFsm::no_watch_list(Moment moment) {
  watch_list_ = false;
  return begin(moment);
}

void WatchFsm::healthy() {
  trouble_ = Trouble::none;
  error_.clear();
  internal_since_.reset();
}

// --- lists -----------------------------------------------------------------

Step WatchFsm::list_refused(const client::Status& status, Moment moment) {
  error_ = client::sentence("list", resource_, status);
  if (status.code == 403) return slow_down(Next::begin, Trouble::forbidden, moment);
  if (status.code == 404) return slow_down(Next::begin, Trouble::not_served, moment);
  if (status.expired()) return restart_list(moment);
  if (asks_to_wait(status)) return obey(Next::page, status, moment);
  const bool passes = is_internal(status) || status.code == 401;
  return back_off(passes ? Next::page : Next::begin, moment);
}

// The token that such an answer may carry continues with a later state: not ours.
Step WatchFsm::restart_list(Moment moment) {
  return ++restarts_ == 1 ? begin(moment) : back_off(Next::begin, moment);
}

// --- watches ---------------------------------------------------------------

Step WatchFsm::watch_opened(Moment moment) {
  state_ = initial_ ? WatchState::receiving : WatchState::watching;
  trouble_ = Trouble::none;
  opened_ = moment.now;
  heard_ = false;
  return {.note = Note::none, .action = ReadOn{}};
}

Step WatchFsm::watch_refused(const client::Status& status, Moment moment) {
  error_ = client::sentence("watch", resource_, status);
  if (initial_ && (status.code == 422 || status.code == 400)) return no_watch_list(moment);
  if (status.code == 403) return slow_down(next_watch(), Trouble::forbidden, moment);
  if (status.code == 404) return slow_down(Next::begin, Trouble::not_served, moment);
  if (status.expired()) return relist(moment);
  if (status.version_too_large()) return back_off(Next::begin, moment);
  if (asks_to_wait(status)) return obey(next_watch(), status, moment);
  if (status.code == 401) return back_off(next_watch(), moment);
  return is_internal(status) ? internal_error(moment) : back_off(Next::begin, moment);
}

Step WatchFsm::event(const decode::WatchEvent& event, Moment moment) {
  heard_ = true;
  if (event.type == decode::EventType::unknown) return {};
  if (event.version.empty()) return undecodable("an event without a resourceVersion", moment);
  const bool bookmark = event.type == decode::EventType::bookmark;
  if (state_ == WatchState::receiving) {
    if (bookmark && event.initial_events_end) {
      take_snapshot(event.version);
      state_ = WatchState::watching;
      return {.note = Note::end_relist, .action = ReadOn{}};
    }
    if (moment.now > opened_ + limits::api::initial_events) return no_watch_list(moment);
  } else {
    healthy();
    version_ = event.version;
  }
  return {.note = bookmark ? Note::moved : Note::apply, .action = ReadOn{}};
}

Step WatchFsm::error_event(const client::Status& status, Moment moment) {
  error_ = client::sentence("watch", resource_, status);
  if (asks_to_wait(status)) return obey(next_watch(), status, moment);
  if (initial_) return back_off(Next::begin, moment);
  return is_internal(status) ? internal_error(moment) : relist(moment);
}

// The same version again, for as long as the server's own reflectors try it.
Step WatchFsm::internal_error(Moment moment) {
  if (!internal_since_) internal_since_ = moment.now;
  if (moment.now < *internal_since_ + limits::api::internal_errors)
    return back_off(next_watch(), moment);
  internal_since_.reset();
  ++relists_;
  return back_off(Next::begin, moment);
}

Step WatchFsm::stream_ended(Moment moment) {
  if (state_ == WatchState::receiving) {
    error_ = fmt::format("the watch of {} ended before its initial events did", resource_.name());
    return back_off(Next::begin, moment);
  }
  const auto lived = moment.now - opened_;
  if (lived < limits::api::watch_suspicious && !heard_) {
    error_ = fmt::format("the watch of {} ended at once and brought nothing", resource_.name());
    return back_off(Next::watch, moment);
  }
  if (lived + limits::api::watch_margin >= timeout_) return open(moment);
  return wait(Next::watch, Backoff::spread(limits::api::reconnect_spread, moment.random));
}

// --- either ----------------------------------------------------------------

Step WatchFsm::connection_failed(std::string_view why, Moment moment) {
  const bool listing = state_ == WatchState::listing;
  error_ = fmt::format("{} of {}: {}", listing ? "list" : "watch", resource_.name(), why);
  return back_off(listing ? Next::page : next_watch(), moment);
}

Step WatchFsm::silent(Moment moment) {
  // A server that does not know watch-lists sends what there is, and then nothing.
  if (state_ == WatchState::receiving) watch_list_ = false;
  return connection_failed("the API server has fallen silent", moment);
}

Step WatchFsm::undecodable(std::string_view why, Moment moment) {
  const bool listing = state_ == WatchState::listing;
  error_ = fmt::format("{} of {}: {}", listing ? "list" : "watch", resource_.name(), why);
  return listing || initial_ ? back_off(Next::begin, moment) : relist(moment);
}

}  // namespace tpuwh::server::kube::watch
