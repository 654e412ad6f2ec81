// A server's cluster: the client, what it watches, and the ledger.
//
// Made before the event loops, because they ask it; connected once there is a loop to run
// on, and disconnected before that loop is destroyed.
//
// A replica is ready once every listable resource was listed. A resource that is not served (a
// cluster without KubeRay) or that may not be read (403: a rule is missing) does not count: no
// answer to a Job needs any of them, and a rule that was lost for a preference once kept every
// fresh replica from being ready. The functions that need the resource are then off, which is
// reported. Each resource is watched only if one of these features is on:
//
//   pods          ledger: places of Ray workers (503: another replica may have listed them);
//                 followers: the pools of JobSets' leaders, which JobSet's own webhook writes as
//                 well. While Pods are watched, the placement hint also counts the hosts that they
//                 hold
//   nodes         placement hint; followers
//   services      ledger: otherwise the name of a RayCluster's headless Service is derived from the
//                 name of the RayCluster
//   rayclusters   ledger: places of Ray workers (503)
//   resourceclaims, resourceclaimtemplates
//                 claims: chips of Pods by claim (503, unless one may be read by name). If the API
//                 server serves none of v1, v1beta2 and v1beta1 (before Kubernetes 1.32), the
//                 claims are not known, and such Pods are left unchanged
//   deviceclasses claims: chips of claims for another device class than tpu.google.com
#pragma once

#include "server/kube/access/api_config.hpp"
#include "server/kube/cluster/claims_of_pods.hpp"
#include "server/kube/cluster/cluster_ledger.hpp"
#include "server/kube/cluster/features.hpp"
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

// A resource that a server watches, and its selectors.
struct Watched {
  store::Kind kind;
  client::Resource resource;
  client::Selectors selectors;
  std::string needed_by;  // the functions that are off while the resource may not be read
};
// Returns the resources that these features read, without those of claims.
std::vector<Watched> watched(const Features& features);
// Returns the resources that claims need, in this version of resource.k8s.io.
std::vector<Watched> watched_claims(const std::string& version);

// The state of the watches, the ledger and the claims, for metrics.
struct ClusterStatus {
  struct Watch {
    std::string_view resource;  // "pods"
    watch::WatchStatus status;
    std::size_t objects;  // kept
  };
  std::vector<Watch> watches;
  std::optional<LedgerStatus> ledger;  // if the ledger is in use
  std::optional<ClaimsStatus> claims;  // if claims are read
};

class Cluster final : public kube::places::Places, public kube::places::Claims {
 public:
  // `prefix` is Config::prefix.
  explicit Cluster(std::string prefix, const Features& features = {});
  ~Cluster() override;

  // Called on the executor.
  struct Listener {
    // Once: every kind has been listed, is not served by this API server, or may not be read.
    std::function<void()> synced;
    // The functions that are off because a resource may not be read, for a person; "" for none.
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

  const Features features_;
  store::Store store_;
  std::unique_ptr<Connected> connected_;
};

}  // namespace tpuwh::server::kube::cluster
