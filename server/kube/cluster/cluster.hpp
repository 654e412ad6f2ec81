// A server's access to its cluster: the client of the API server, the watches, and the ledger.
//
// A Cluster is made before the event loops, because the handlers of the loops read it. connect() is
// called when the event loop that it runs on exists, and disconnect() before the loop is destroyed.
//
// A replica becomes ready when every watched resource has been listed. The replica does not wait
// for a resource that the API server does not serve (a cluster without KubeRay), or that the
// replica is not allowed to read (403: an RBAC rule is missing). The features that need such a
// resource are off, and the replica reports this. The replica still answers reviews of a Job's
// Pods, which need none of these resources. In an earlier version, one missing RBAC rule kept every
// new replica from becoming ready, although only the placement hint needed that rule.
//
// The table lists the watched resources, and the features that need them. A resource is watched
// only if one of these features is on. "(503)" means: while the resource cannot be read, reviews of
// Pods that need the feature are answered with 503.
//
//   pods          ledger: the ids of Ray workers (503, because a retry may reach a replica
//                 that has already listed the Pods)
//                 followers: the node pool of the leader Pod of a JobSet's Job
//                 placement hint: the hosts that Pods use, but only if another feature also needs
//                 the Pods
//   nodes         placement hint; followers
//   services      ledger: the names of the headless Services of RayClusters; without Services they
//                 are derived from the names of the RayClusters
//   rayclusters   ledger: the ids of Ray workers (503)
//   resourceclaims, resourceclaimtemplates
//                 claims: the chips that Pods ask for by resource claim (503, unless the claim can
//                 be read by its name). If the API server serves none of v1, v1beta2 and v1beta1
//                 (before Kubernetes 1.32), Pods with resource claims are left unchanged
//   deviceclasses claims: chips of claims for a device class other than tpu.google.com
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
  std::string needed_by;  // the features that are off if the resource cannot be read
};
// Returns the resources that these features read, except those of the feature `claims`.
std::vector<Watched> watched(const Features& features);
// Returns the resources that the feature `claims` reads, in this version of the API group
// resource.k8s.io.
std::vector<Watched> watched_claims(const std::string& version);

// The state of the watches, the ledger and the claims, for metrics.
struct ClusterStatus {
  struct Watch {
    std::string_view resource;  // "pods"
    watch::WatchStatus status;
    std::size_t objects;  // kept
  };
  std::vector<Watch> watches;
  std::optional<LedgerStatus> ledger;  // nullopt if the ledger is off
  std::optional<ClaimsStatus> claims;  // nullopt if the feature `claims` is off
};

class Cluster final : public kube::places::Places, public kube::places::Claims {
 public:
  // `prefix` is Config::prefix: the prefix of the annotations and labels of tpu-webhook.
  explicit Cluster(std::string prefix, const Features& features = {});
  ~Cluster() override;

  // Called on the executor.
  struct Listener {
    // Called one time, when each watched resource has been listed or skipped. A resource is skipped
    // if the API server does not serve it or forbids reading it.
    std::function<void()> synced;
    // Called when a feature is turned off or on again, for example because the server has lost or
    // gained the permission to read a resource. `off` is a text for users that names all features
    // that are off, or "" if no feature is off.
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
