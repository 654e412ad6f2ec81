// A server's cluster: the client, what it watches, and the ledger.
//
// Made before the event loops, because they ask it; connected once there is a loop to run
// on, and disconnected before that loop is destroyed.
//
// Ready is who has listed what can be listed. A kind that is not served (a cluster without KubeRay)
// or that may not be read (403: a rule is missing) does not count: no answer to a Job needs any of
// them, and a rule that was lost for a preference once kept every fresh replica from being ready.
// What needs the kind is off, which is said:
//
//   pods          places of Ray workers (503: another replica may have listed them), the hint,
//                 the pools of JobSets' leaders, which JobSet's own webhook writes as well
//   nodes         the hint, the pools of JobSets' leaders
//   services      the name of a RayCluster's headless Service is derived from the cluster's
//   rayclusters   places of Ray workers (503)
//   resourceclaims, resourceclaimtemplates
//                 where claims are read: chips of Pods by claim (503, unless one may be read by
//                 name). Of an API server that serves none of v1, v1beta2 and v1beta1 (before
//                 Kubernetes 1.32) they are not known, and such Pods are left unchanged
//   deviceclasses where claims are read: whose devices those of another class than tpu.google.com
//                 are
#pragma once

#include "server/kube/access/api_config.hpp"
#include "server/kube/cluster/claims_of_pods.hpp"
#include "server/kube/cluster/cluster_ledger.hpp"
#include "server/kube/places/claims.hpp"
#include "server/kube/places/places.hpp"
#include "server/kube/store/store.hpp"
#include "server/kube/watch/watcher.hpp"
#include "server/log/log.hpp"
#include "server/net/task_group.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::kube::cluster {

// What a server watches, and with which selectors.
struct Watched {
  store::Kind kind;
  client::Resource resource;
  client::Selectors selectors;
  std::string_view needed_by;  // what is off where it may not be read
};
const std::vector<Watched>& watched();
// Where claims are read, beside them; in this version of resource.k8s.io.
std::vector<Watched> watched_claims(const std::string& version);

// How it is going; for metrics.
struct ClusterStatus {
  struct Watch {
    std::string_view resource;  // "pods"
    watch::WatchStatus status;
    std::size_t objects;  // kept
  };
  std::vector<Watch> watches;
  LedgerStatus ledger;
  std::optional<ClaimsStatus> claims;  // where they are read
};

class Cluster final : public kube::places::Places, public kube::places::Claims {
 public:
  // `prefix` is Config::prefix, `claims` Config::claims.
  explicit Cluster(std::string prefix, bool claims = false);
  ~Cluster() override;

  // Called on the executor.
  struct Listener {
    // Once: every kind has been listed, is not served by this API server, or may not be read.
    std::function<void()> synced;
    // What is off since a kind may not be read, for a person; "" where nothing is any more.
    std::function<void(const std::string& off)> off;
  };

  // Starts to list and to watch, on `executor` and in `tasks`.
  void connect(net::Executor executor, net::TaskGroup& tasks, access::ApiConfig config,
               log::Log& log, Listener listener);
  void disconnect();

  const webhook::read::ClusterView& view() const { return store_; }

  // On the executor, while connected.
  ClusterStatus status() const;

  // On any loop.
  net::Task<webhook::ledger::PlaceAnswer> place(kube::places::OwnedPlaceRequest request) override;
  net::Task<kube::places::ReadClaims> read(std::vector<kube::places::OwnedClaim> claims,
                                           bool patient, std::string owner) override;
  // The store sees the Pods themselves.
  void note(const webhook::ledger::PlaceRequest&, topology::Place) override {}

 private:
  struct Connected;

  net::Task<void> wait_until_synced();
  net::Task<void> look_around();
  net::Task<void> begin_claims();
  void tell_what_is_off();

  const bool claims_;
  store::Store store_;
  std::unique_ptr<Connected> connected_;
};

}  // namespace tpuwh::server::kube::cluster
