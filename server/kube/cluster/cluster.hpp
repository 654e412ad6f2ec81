// A server's cluster: the client, what it watches, and the ledger.
//
// Made before the event loops, because they ask it; connected once there is a loop to run
// on, and disconnected before that loop is destroyed.
#pragma once

#include "server/kube/access/api_config.hpp"
#include "server/kube/cluster/cluster_ledger.hpp"
#include "server/kube/store/store.hpp"
#include "server/kube/watch/watcher.hpp"
#include "server/log/log.hpp"
#include "server/net/task_group.hpp"
#include "server/places/places.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::kube::cluster {

// What a server watches, and with which selectors.
struct Watched {
  store::Kind kind;
  client::Resource resource;
  client::Selectors selectors;
};
const std::vector<Watched>& watched();

// How it is going; for metrics.
struct ClusterStatus {
  struct Watch {
    std::string_view resource;  // "pods"
    watch::WatchStatus status;
    std::size_t objects;  // kept
  };
  std::vector<Watch> watches;
  LedgerStatus ledger;
};

class Cluster final : public places::Places {
 public:
  // `prefix` is Config::prefix.
  explicit Cluster(std::string prefix);
  ~Cluster() override;

  // Starts to list and to watch, on `executor` and in `tasks`. `synced` is called once, there,
  // when every kind has been listed or is not served by this API server.
  void connect(net::Executor executor, net::TaskGroup& tasks, access::ApiConfig config,
               log::Log& log, std::function<void()> synced);
  void disconnect();

  const webhook::read::ClusterView& view() const { return store_; }

  // On the executor, while connected.
  ClusterStatus status() const;

  // On any loop.
  net::Task<webhook::ledger::PlaceAnswer> place(places::OwnedPlaceRequest request) override;
  // The store sees the Pods themselves.
  void note(const webhook::ledger::PlaceRequest&, topology::Place) override {}

 private:
  struct Connected;
  class KindSink;

  net::Task<void> wait_until_synced(std::function<void()> synced);
  net::Task<void> watch_pools();

  store::Store store_;
  std::unique_ptr<Connected> connected_;
};

}  // namespace tpuwh::server::kube::cluster
