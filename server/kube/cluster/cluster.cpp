#include "server/kube/cluster/cluster.hpp"

#include "server/kube/client/client.hpp"
#include "server/kube/cluster/store_sink.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <list>
#include <utility>

namespace tpuwh::server::kube::cluster {

const std::vector<Watched>& watched() {
  static const std::vector<Watched> all = {
      {store::Kind::pod,
       {"", "v1", "pods", ""},
       {"", std::string(store::running_pods)},
       "places of Ray workers, the placement hint and the pools of leaders"},
      {store::Kind::node,
       {"", "v1", "nodes", ""},
       {},
       "the placement hint and the pools of leaders"},
      {store::Kind::service,
       {"", "v1", "services", ""},
       {std::string(store::headless_service_of), ""},
       "names of headless Services as the cluster has them"},
      {store::Kind::ray_cluster, {"ray.io", "v1", "rayclusters", ""}, {}, "places of Ray workers"},
  };
  return all;
}

struct Cluster::Connected {
  Connected(net::Executor on, net::TaskGroup& tasks, const access::ApiConfig& config,
            store::Store& store, log::Log& to, Listener told)
      : executor(on),
        client(on, config),
        ledger(client, store, tasks, to, config.ns),
        out(to),
        listener(std::move(told)) {
    for (const Watched& each : watched()) {
      sinks.emplace_back(store, each.kind);
      watch::Watcher& watcher =
          watchers.emplace_back(client, each.resource, each.selectors, sinks.back(), to);
      tasks.keep(executor, "watch-" + each.resource.plural, [&watcher] { return watcher.run(); });
    }
    tasks.keep(executor, "ledger", [this] { return ledger.run(); });
  }

  bool synced() const {
    return std::ranges::all_of(watchers, [](const watch::Watcher& watcher) {
      const watch::WatchStatus status = watcher.status();
      return status.synced || status.trouble != watch::Trouble::none;
    });
  }

  // "nodes may not be read, off: the placement hint and the pools of leaders"
  std::string what_is_off() const {
    std::string all;
    auto what = watched().begin();
    for (const watch::Watcher& watcher : watchers) {
      if (watcher.status().trouble == watch::Trouble::forbidden)
        all.append(all.empty() ? "" : "; ")
            .append(what->resource.plural)
            .append(" may not be read, off: ")
            .append(what->needed_by);
      ++what;
    }
    return all;
  }

  net::Executor executor;
  client::Client client;
  ClusterLedger ledger;
  log::Log& out;
  const Listener listener;
  std::string off;  // as it was told last
  std::list<StoreSink> sinks;
  std::list<watch::Watcher> watchers;
};

Cluster::Cluster(std::string prefix) : store_(std::move(prefix)) {}
Cluster::~Cluster() = default;

void Cluster::connect(net::Executor executor, net::TaskGroup& tasks, access::ApiConfig config,
                      log::Log& log, Listener listener) {
  connected_ =
      std::make_unique<Connected>(executor, tasks, config, store_, log, std::move(listener));
  log.info("cluster", {{"server", config.host + ':' + config.port},
                       {"as", config.source},
                       {"ledger_namespace", config.ns}});
  tasks.keep(executor, "sync", [this] { return wait_until_synced(); });
  tasks.keep(executor, "pools", [this] { return look_around(); });
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

net::Task<void> Cluster::wait_until_synced() {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  net::Timer timer(connected_->executor);
  for (;;) {
    if (connected_->synced()) break;
    timer.expires_after(limits::api::sync_poll);
    const auto [error] = co_await timer.async_wait(net::as_result);
    if (error) co_return;
  }
  tell_what_is_off();
  connected_->listener.synced();
}

void Cluster::tell_what_is_off() {
  std::string off = connected_->what_is_off();
  if (off == connected_->off) return;
  if (off.empty())
    connected_->out.info("nothing is off any more");
  else
    connected_->out.warn("off", {{"why", off}});
  connected_->off = std::move(off);
  connected_->listener.off(connected_->off);
}

// A pool that was not whole minutes ago may be by now, and a slice would be kept off it for
// nothing.
net::Task<void> Cluster::look_around() {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  net::Timer timer(connected_->executor);
  for (;;) {
    const auto now = net::Clock::now();
    store_.trust_pools(store_.is_fresh(store::Kind::node, now) &&
                       store_.is_fresh(store::Kind::pod, now));
    tell_what_is_off();
    timer.expires_after(limits::api::pools_look);
    const auto [error] = co_await timer.async_wait(net::as_result);
    if (error) break;
  }
  store_.trust_pools(false);
}

net::Task<webhook::ledger::PlaceAnswer> Cluster::place(kube::places::OwnedPlaceRequest request) {
  // Made here and run there: the ledger is used on the client's executor alone.
  auto asking = connected_->ledger.place(std::move(request));
  auto [fault, answer] =
      co_await boost::asio::co_spawn(connected_->executor, std::move(asking), net::as_result);
  if (fault) answer = webhook::ledger::try_again("the ledger failed");
  co_return answer;
}

}  // namespace tpuwh::server::kube::cluster
