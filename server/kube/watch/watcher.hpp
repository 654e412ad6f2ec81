// Keeps a sink as the API server has it: runs WatchFsm with a Client.
#pragma once

#include "server/kube/client/client.hpp"
#include "server/kube/watch/sink.hpp"
#include "server/kube/watch/watch_fsm.hpp"
#include "server/log/log.hpp"

#include <random>
#include <string>

namespace tpuwh::server::kube::watch {

// How a watcher is doing; for readiness, metrics and people.
struct WatchStatus {
  WatchState state = WatchState::idle;
  Trouble trouble = Trouble::none;
  bool synced = false;        // the sink had a whole state once
  std::string version = {};   // resourceVersion of the last event, bookmark or list
  net::TimePoint moved = {};  // when Sink::moved was called last
  std::string error = {};     // the last failure; empty once something was heard since
  unsigned relists = 0;       // how often the state had to be fetched again
  unsigned failures = 0;      // requests and streams that did not end as they should
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
  // The sink, and when it moved.
  class Told final : public Sink {
   public:
    Told(Sink& sink, Watcher& watcher) : sink_(sink), watcher_(watcher) {}
    void begin_relist() override { sink_.begin_relist(); }
    void upsert(std::string_view object) override { sink_.upsert(object); }
    void remove(std::string_view object) override { sink_.remove(object); }
    void end_relist() override { sink_.end_relist(); }
    void moved(net::TimePoint now) override {
      last_ = now;
      watcher_.report();
      sink_.moved(now);
    }
    net::TimePoint last() const { return last_; }

   private:
    Sink& sink_;
    Watcher& watcher_;
    net::TimePoint last_;
  };

  net::Task<Step> perform(Action action);
  net::Task<Step> fetch_page(const ListPage& action);
  net::Task<Step> follow(const OpenWatch& action);
  net::Task<Step> pause(const Wait& action);
  void report();
  Tick tick();

  client::Client& client_;
  const client::Resource resource_;
  const client::Selectors selectors_;
  Told sink_;
  log::Log& log_;
  WatchFsm fsm_;
  std::mt19937_64 random_;
  std::string reported_;
  unsigned failures_ = 0;
};

}  // namespace tpuwh::server::kube::watch
