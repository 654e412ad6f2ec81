// How one resource is listed and watched: events in, what to do next out. No socket, no clock.
//
//   idle ── start ─▶ listing ── last page ─▶ opening ─▶ watching ◀─▶ waiting
//               └──▶ opening ─▶ receiving ── bookmark ─────┘
//
// The watch-list (receiving) is tried first. A server that refuses it (422, or 400), or takes no
// notice of it, is listed page by page from then on. Both ways are consistent: no version is
// asked for, so the state is no older than the request; a webhook that gives away unique ids
// must not start from "0", which may lie in the past.
//
//   source  docs/facts.md#list, #watch, #watch-list (client-go 1.36 tools/cache/reflector.go,
//           KEP-3157)
#pragma once

#include "server/kube/client/status.hpp"
#include "server/kube/decode/watch_decoder.hpp"
#include "server/kube/watch/backoff.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace tpuwh::server::kube::watch {

// What to do next.
struct ReadOn {  // the stream that is open
  bool operator==(const ReadOn&) const = default;
};
struct ListPage {
  std::string continue_token;
  unsigned limit = 0;
  bool operator==(const ListPage&) const = default;
};
struct OpenWatch {
  std::string version;
  std::chrono::seconds timeout{};
  bool initial_events = false;
  bool operator==(const OpenWatch&) const = default;
};
struct Wait {  // and call waited(); what is open is closed first
  net::Clock::duration time{};
  bool operator==(const Wait&) const = default;
};
using Action = std::variant<ReadOn, ListPage, OpenWatch, Wait>;

// What the store is to be told, before the action.
enum class Note {
  none,
  begin_relist,  // all there is comes again: mark what comes; forget an earlier attempt's marks
  end_relist,    // it was all: drop what was not marked
  apply,         // the event's object, of a list or of the stream
  moved,         // a bookmark: the stream lives
};

struct Step {
  Note note = Note::none;
  Action action;
};

enum class WatchState { idle, listing, opening, receiving, watching, waiting };

// Why it does not go on by itself: a person must do something. Tried again slowly.
enum class Trouble { none, forbidden, not_served };

class WatchFsm {
 public:
  explicit WatchFsm(client::Resource resource) : resource_(std::move(resource)) {}

  Step start(Tick tick);
  Step waited(Tick tick);  // a Wait is over

  // listing: a whole page, its objects given to the store; or an answer that is not a page.
  Step page(const std::string& continue_token, const std::string& version, Tick tick);
  Step list_refused(const client::Status& status, Tick tick);

  // opening
  Step watch_opened(Tick tick);
  Step watch_refused(const client::Status& status, Tick tick);

  // receiving, watching
  Step event(const decode::WatchEvent& event, Tick tick);  // any but EventType::error
  Step error_event(const client::Status& status, Tick tick);
  Step stream_ended(Tick tick);  // as HTTP says, between two events

  // listing, opening, receiving, watching
  Step connection_failed(std::string_view why, Tick tick);
  Step silent(Tick tick);                             // a limit of our side has passed
  Step undecodable(std::string_view why, Tick tick);  // also: larger than the limit

  WatchState state() const { return state_; }
  Trouble trouble() const { return trouble_; }
  bool synced() const { return synced_; }  // a whole state was given once
  const std::string& version() const { return version_; }
  // The last failure, for a person; empty once a page or an event has come since.
  const std::string& error() const { return error_; }
  // How often the state had to be fetched again.
  unsigned relists() const { return relists_; }

 private:
  enum class Next { begin, page, watch };

  Step begin(Tick tick);
  Step list();
  Step open(Tick tick);
  void take_snapshot(std::string_view version);
  Step wait(Next next, net::Clock::duration time);
  Step back_off(Next next, Tick tick);
  Step obey(Next next, const client::Status& status, Tick tick);
  Step slow_down(Next next, Trouble trouble, Tick tick);
  Step restart_list(Tick tick);
  Step relist(Tick tick);
  Step internal_error(Tick tick);
  Step no_watch_list(Tick tick);
  Next next_watch() const { return initial_ ? Next::begin : Next::watch; }
  void healthy();

  client::Resource resource_;
  Backoff backoff_;
  WatchState state_ = WatchState::idle;
  Trouble trouble_ = Trouble::none;
  Next next_ = Next::begin;
  bool watch_list_ = true;  // until a server refuses it
  bool initial_ = false;    // the watch that is or will be open is a watch-list
  bool synced_ = false;
  bool heard_ = false;     // an event, on the stream that is open
  unsigned silences_ = 0;  // watches one after another that ended by silence
  unsigned restarts_ = 0;  // of this list, for a continue token that had expired
  unsigned relists_ = 0;
  std::string continue_;
  std::string version_;
  std::string error_;
  std::chrono::seconds timeout_{};
  net::TimePoint opened_;
  std::optional<net::TimePoint> internal_since_;
  std::optional<net::TimePoint> relisted_;
};

}  // namespace tpuwh::server::kube::watch
