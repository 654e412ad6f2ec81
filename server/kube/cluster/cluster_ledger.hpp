// The ledger of a server in a cluster: carries out what webhook::ledger::GroupLedger says
// (docs/decisions/0012).
//
// Lives on the client's executor. One object of the cluster per worker group; each group has
// one call under way at most, and what is asked meanwhile shares the next write. Who asks does
// not wait for what only frees places: the two have budgets of their own (client::Purpose).
#pragma once

#include "server/kube/client/client.hpp"
#include "server/kube/cluster/ledger_calls.hpp"
#include "server/kube/cluster/stalls.hpp"
#include "server/kube/places/places.hpp"
#include "server/kube/store/store.hpp"
#include "server/log/log.hpp"
#include "server/log/throttle.hpp"
#include "server/net/task_group.hpp"
#include "webhook/ledger/group_ledger.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <string>

namespace tpuwh::server::kube::cluster {

// What it holds and has done; for metrics.
struct LedgerStatus {
  std::size_t groups = 0;
  std::size_t entries = 0;
  // Creations, updates and removals of objects, by how they ended.
  std::uint64_t written = 0, conflicts = 0, failed = 0;
  // Since the group that has waited longest asked for a place; zero where none waits.
  std::chrono::nanoseconds stalled{};
};

class ClusterLedger {
 public:
  // All outlive it. `ns`: where the objects are.
  ClusterLedger(client::Client& client, store::Store& store, net::TaskGroup& tasks, log::Log& log,
                std::string ns);

  // On the client's executor. 503 for a group that no RayCluster known to this replica has, or
  // where its watch has been silent for limits::api::stale. Forged reviews take no more than
  // the groups of living RayClusters ask for.
  net::Task<webhook::ledger::PlaceAnswer> place(kube::places::OwnedPlaceRequest request);

  // Frees places and finishes what waits, until cancelled.
  net::Task<void> run();

  // On the client's executor.
  LedgerStatus status();

 private:
  using GroupLedger = webhook::ledger::GroupLedger;
  struct Waiter;
  struct Group {
    GroupLedger ledger;
    // The number of turns that a question has taken for its next requests to the API server.
    std::size_t turns = 0;
  };
  using Groups = std::map<store::GroupName, Group>;

  class ObjectReader;

  Groups::iterator group_of(const store::GroupName& name);
  net::Task<webhook::ledger::PlaceAnswer> ask(kube::places::OwnedPlaceRequest request);
  GroupLedger::Call::Kind pump(Groups::iterator group, bool turn);
  void pump_all();
  void pump_in_turn(Groups::iterator group, std::size_t& turns, bool by_list);
  bool has_turn();
  bool reads_by_list(net::TimePoint now);
  void forget_idle();
  net::Task<void> rest(store::GroupName name);
  net::Task<webhook::ledger::GroupLedger::Outcome> try_to_perform(
      const store::GroupName& name, const webhook::ledger::GroupLedger::Call& call,
      client::Purpose purpose);
  net::Task<void> perform(store::GroupName name, GroupLedger::Call call, client::Purpose purpose);
  net::Task<void> list_objects();
  void say(const store::GroupName& name, const GroupLedger::Call& call,
           const GroupLedger::Outcome& outcome);
  void pod_gone(const store::GroupName& name, const std::string& token);
  bool knows(const store::GroupName& name) const;
  void answer(GroupLedger::Answers answers);
  void count(const GroupLedger::Call& call, const GroupLedger::Outcome& outcome);
  net::Task<bool> is_known(const kube::places::OwnedPlaceRequest& request);
  std::string why_not(const kube::places::OwnedPlaceRequest& request) const;

  client::Client& client_;
  client::Queue& questions_;  // the client's turns for questions
  store::Store& store_;
  net::TaskGroup& tasks_;
  log::Log& log_;
  LedgerCalls calls_;
  const std::string ns_;
  Groups groups_;
  std::map<GroupLedger::Ticket, Waiter*> waiters_;
  GroupLedger::Ticket last_ticket_ = 0;
  LedgerStatus counted_;
  Stalls stalls_;
  log::Throttle failures_said_;
  std::minstd_rand random_;
  net::TimePoint listed_{};  // when all objects were listed last
  bool listing_ = false;
  bool behind_ = false;  // more wants to be done than there are turns for
  // Records that are read one by one for nobody, until the next list may be made.
  std::size_t reads_left_ = limits::api::ledger_handful;
};

}  // namespace tpuwh::server::kube::cluster
