// Keeps a sink as the API server has it: runs WatchFsm with a Client.
#pragma once

#include "server/kube/client/client.hpp"
#include "server/kube/watch/sink.hpp"
#include "server/kube/watch/watch_fsm.hpp"
#include "server/log/log.hpp"

#include <cstdint>
#include <random>
#include <string>

namespace tpuwh::server::kube::watch {

struct Pulse;

// How a watcher is doing; for readiness, metrics and people.
struct WatchStatus {
  WatchState state = WatchState::idle;
  Trouble trouble = Trouble::none;
  bool synced = false;            // the sink had a whole state once
  std::string version = {};       // resourceVersion of the last event, bookmark or list
  net::TimePoint moved = {};      // when Sink::moved was called last
  std::string error = {};         // the last failure; empty once something was heard since
  unsigned relists = 0;           // how often the state had to be fetched again
  unsigned failures = 0;          // requests and streams that did not end as they should
  std::uint64_t passed_over = 0;  // objects longer than limits::api::object_bytes
};

// One resource. Used on the client's thread; what it is given outlives it.
class Watcher {
 public:
  Watcher(client::Client& client, client::Resource resource, client::Selectors selectors,
          Sink& sink, log::Log& log);

  // Until it is cancelled (TaskGroup); never throws for what the server does. Logs a failure
  // when it is another one than before, and when all is well again.
  net::Task<void> run();

  WatchStatus status() const;

 private:
  net::Task<Step> perform(Action action);
  net::Task<Step> fetch_page(const ListPage& action);
  net::Task<Step> follow(const OpenWatch& action);
  net::Task<Step> pause(const Wait& action);
  void report();
  void pass_over(std::size_t objects);
  Tick tick();
  Pulse pulse();

  client::Client& client_;
  const client::Resource resource_;
  const client::Selectors selectors_;
  Sink& sink_;
  log::Log& log_;
  WatchFsm fsm_;
  std::mt19937_64 random_;
  std::string reported_;
  net::TimePoint moved_;
  unsigned failures_ = 0;
  std::uint64_t passed_over_ = 0;
};

}  // namespace tpuwh::server::kube::watch
