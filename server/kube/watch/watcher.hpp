// Keeps a sink as the API server has it: runs WatchFsm with a Client.
#pragma once

#include "server/kube/client/client.hpp"
#include "server/kube/watch/sink.hpp"
#include "server/kube/watch/watch_fsm.hpp"
#include "server/log/log.hpp"

#include <random>
#include <string>

namespace tpuwh::server::kube {

// How a watcher is doing; for readiness, metrics and people.
struct WatchStatus {
  WatchState state = WatchState::idle;
  Trouble trouble = Trouble::none;
  bool synced = false;       // the sink had a whole state once
  std::string version = {};  // resourceVersion of the last event, bookmark or list
  TimePoint moved = {};      // when Sink::moved was called last
  std::string error = {};    // the last failure; empty once something was heard since
  unsigned relists = 0;      // how often the state had to be fetched again
  unsigned failures = 0;     // requests and streams that did not end as they should
};

// One resource. Used on the client's thread; what it is given outlives it.
class Watcher {
 public:
  Watcher(Client& client, Resource resource, Selectors selectors, Sink& sink, Log& log);

  // Until it is cancelled (TaskGroup); never throws for what the server does. Logs a failure
  // when it is another one than before, and when all is well again.
  Task<void> run();

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
    void moved(TimePoint now) override {
      last_ = now;
      watcher_.report();
      sink_.moved(now);
    }
    TimePoint last() const { return last_; }

   private:
    Sink& sink_;
    Watcher& watcher_;
    TimePoint last_;
  };

  Task<Step> perform(Action action);
  Task<Step> fetch_page(const ListPage& action);
  Task<Step> follow(const OpenWatch& action);
  Task<Step> pause(const Wait& action);
  void report();
  Moment moment();

  Client& client_;
  const Resource resource_;
  const Selectors selectors_;
  Told sink_;
  Log& log_;
  WatchFsm fsm_;
  std::mt19937_64 random_;
  std::string reported_;
  unsigned failures_ = 0;
};

}  // namespace tpuwh::server::kube
