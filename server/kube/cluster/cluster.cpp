#include "server/kube/cluster/cluster.hpp"

#include "server/kube/client/client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <list>
#include <utility>

namespace tpuwh::server::kube::cluster {

const std::vector<Watched>& watched() {
  static const std::vector<Watched> all = {
      {store::Kind::pod, {"", "v1", "pods", ""}, {"", std::string(store::running_pods)}},
      {store::Kind::node, {"", "v1", "nodes", ""}, {}},
      {store::Kind::service, {"", "v1", "services", ""}, {"ray.io/headless-worker-svc", ""}},
      {store::Kind::ray_cluster, {"ray.io", "v1", "rayclusters", ""}, {}},
  };
  return all;
}

// One kind's part of the store.
class Cluster::KindSink final : public watch::Sink {
 public:
  KindSink(store::Store& store, store::Kind kind) : store_(store), kind_(kind) {}
  void begin_relist() override { store_.begin_relist(kind_); }
  void upsert(std::string_view object) override { store_.upsert(kind_, object); }
  void remove(std::string_view object) override { store_.remove(kind_, object); }
  void end_relist() override { store_.end_relist(kind_); }
  void moved(net::TimePoint now) override { store_.moved(kind_, now); }

 private:
  store::Store& store_;
  const store::Kind kind_;
};

struct Cluster::Connected {
  Connected(net::Executor on, net::TaskGroup& tasks, const access::ApiConfig& config,
            store::Store& store, log::Log& log)
      : executor(on), client(on, config), ledger(client, store, tasks, log, config.ns) {
    for (const Watched& each : watched()) {
      sinks.emplace_back(store, each.kind);
      watchers.emplace_back(client, each.resource, each.selectors, sinks.back(), log);
      tasks.spawn(executor, watchers.back().run());
    }
    tasks.spawn(executor, ledger.run());
  }

  bool synced() const {
    return std::ranges::all_of(watchers, [](const watch::Watcher& watcher) {
      const watch::WatchStatus status = watcher.status();
      // A cluster without KubeRay serves no RayClusters, and is ready all the same.
      return status.synced || status.trouble == watch::Trouble::not_served;
    });
  }

  net::Executor executor;
  client::Client client;
  ClusterLedger ledger;
  std::list<KindSink> sinks;
  std::list<watch::Watcher> watchers;
};

Cluster::Cluster(std::string prefix) : store_(std::move(prefix)) {}
Cluster::~Cluster() = default;

void Cluster::connect(net::Executor executor, net::TaskGroup& tasks, access::ApiConfig config,
                      log::Log& log, std::function<void()> synced) {
  connected_ = std::make_unique<Connected>(executor, tasks, config, store_, log);
  log.info("cluster", {{"server", config.host + ':' + config.port},
                       {"as", config.source},
                       {"ledger_namespace", config.ns}});
  tasks.spawn(executor, wait_until_synced(std::move(synced)));
  tasks.spawn(executor, watch_pools());
}

void Cluster::disconnect() {
  connected_.reset();
}

ClusterStatus Cluster::status() const {
  ClusterStatus status;
  auto what = watched().begin();
  for (const watch::Watcher& watcher : connected_->watchers) {
    status.watches.push_back({what->resource.plural, watcher.status(), store_.size(what->kind)});
    ++what;
  }
  status.ledger = connected_->ledger.status();
  return status;
}

net::Task<void> Cluster::wait_until_synced(std::function<void()> synced) {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  net::Timer timer(connected_->executor);
  for (;;) {
    if (connected_->synced()) break;
    timer.expires_after(limits::api::sync_poll);
    const auto [error] = co_await timer.async_wait(net::as_result);
    if (error) co_return;
  }
  synced();
}

// A pool that was not whole minutes ago may be by now, and a slice would be kept off it for
// nothing.
net::Task<void> Cluster::watch_pools() {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  net::Timer timer(connected_->executor);
  for (;;) {
    const auto now = net::Clock::now();
    store_.trust_pools(store_.is_fresh(store::Kind::node, now) &&
                       store_.is_fresh(store::Kind::pod, now));
    timer.expires_after(limits::api::pools_look);
    const auto [error] = co_await timer.async_wait(net::as_result);
    if (error) break;
  }
  store_.trust_pools(false);
}

net::Task<webhook::ledger::PlaceAnswer> Cluster::place(places::OwnedPlaceRequest request) {
  // Made here and run there: the ledger is used on the client's executor alone.
  auto asking = connected_->ledger.place(std::move(request));
  auto [fault, answer] =
      co_await boost::asio::co_spawn(connected_->executor, std::move(asking), net::as_result);
  if (fault) answer = webhook::ledger::try_again("the ledger failed");
  co_return answer;
}

}  // namespace tpuwh::server::kube::cluster
